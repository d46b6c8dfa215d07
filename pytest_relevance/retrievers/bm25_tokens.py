"""From text to terms: how `bm25` cuts words, drops stop words and stems."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import groupby

from pytest_relevance.errors import SuiteError, suggestion
from pytest_relevance.retrievers.bm25_library import bm25s
from pytest_relevance.retrievers.bm25_options import CODES, STOP_WORDS, Bm25Options
from pytest_relevance.retrievers.protocol import RetrieverEntry

WORDS_VERSION = 1  # of the rules below; a change makes other rankings, so it is part of every fingerprint

# Ideographs and Hiragana are written without blanks: each character is a word of its own, as Lucene's standard
# tokenizer has it. Katakana, Hangul, Thai, Khmer, Lao and Burmese runs stay whole.
_IDEOGRAPHS = "\u3041-\u3096\u309d-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"


@cache
def word_pattern() -> re.Pattern[str]:
    """The one expression that finds words: letters and digits of any script with the marks that follow them.

    Everything else separates: blanks, punctuation, signs, emoji, the underscore. Beyond U+FFFF each letter is a word.
    """
    alone = re.compile(f"[{_IDEOGRAPHS}]")
    letters = [sign for sign in map(chr, range(0x10000)) if sign.isalnum() and not alone.match(sign)]
    marks = [sign for sign in map(chr, range(0x300, 0x10000)) if unicodedata.category(sign)[0] == "M"]
    begin, more = _ranges(letters), _ranges(sorted({*letters, *marks}))
    return re.compile(rf"[{begin}][{more}]*|[{_IDEOGRAPHS}]|[^\W\u0000-\uffff]")


def words(text: str, *, lowercase: bool = True) -> list[str]:
    """The words of a text in order, in Unicode form NFKC (so that half and full width, and composed marks, agree)."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return word_pattern().findall(text.lower() if lowercase else text)


@dataclass(frozen=True)
class Analysis:
    """What becomes of a word."""

    stem: Callable[[str], str] | None
    stop_words: frozenset[str]  # in small letters
    lowercase: bool

    def stops(self, word: str) -> bool:
        """Whether the word is dropped, in any letter case."""
        return word.lower() in self.stop_words

    def term(self, word: str) -> str:
        """What is indexed for the word."""
        return self.stem(word) if self.stem else word


class Terms:
    """The vocabulary of an index: from a text to term numbers, each term numbered when first met."""

    def __init__(self, analysis: Analysis, known: Iterable[str] = ()) -> None:
        self.numbers = {term: number for number, term in enumerate(known)}
        self._analysis = analysis
        self._by_word: dict[str, int] = {}  # word as it stands → number; -1 for stop words

    def add(self, text: str) -> list[int]:
        """The numbers of the text's terms, in order and with repeats; new terms are numbered."""
        by_word = self._by_word
        found = []
        for word in words(text, lowercase=self._analysis.lowercase):
            number = by_word.get(word)
            if number is None:
                number = by_word[word] = self._number(word)
            if number >= 0:
                found.append(number)
        return found

    def known(self, text: str) -> list[int]:
        """The numbers of those terms of the text that the index has; a repeated word counts again."""
        kept = [word for word in words(text, lowercase=self._analysis.lowercase) if not self._analysis.stops(word)]
        terms = [self._analysis.term(word) for word in kept]
        return [self.numbers[term] for term in terms if term in self.numbers]

    def _number(self, word: str) -> int:
        if self._analysis.stops(word):
            return -1
        return self.numbers.setdefault(self._analysis.term(word), len(self.numbers))


def analysis_of(config: RetrieverEntry, options: Bm25Options) -> Analysis:
    """The analysis that these options ask for.

    Raises:
        SuiteError: no stemmer or no stop words for the language, at the retriever.
    """
    stop_words = frozenset(word.lower() for word in _stop_words(config, options))
    return Analysis(_stemmer(config, options), stop_words, options.lowercase)


def _stemmer(config: RetrieverEntry, options: Bm25Options) -> Callable[[str], str] | None:
    snowball = import_module("Stemmer")  # PyStemmer, which has no types
    language = _named(options.language)
    languages = sorted({*snowball.algorithms(), *STOP_WORDS, "none"})
    if language not in languages:
        raise SuiteError(
            f"unknown language {options.language!r} of retriever {config.name!r}",
            place=config.place,
            fix=suggestion(options.language, languages, label="known"),
        )
    if not options.stemming or language not in snowball.algorithms():
        return None
    stem: Callable[[str], str] = snowball.Stemmer(language).stemWord
    return stem


def _stop_words(config: RetrieverEntry, options: Bm25Options) -> Sequence[str]:
    if not isinstance(options.stop_words, str):
        return options.stop_words
    language = _named(options.language if options.stop_words == "language" else options.stop_words)
    if language in STOP_WORDS:
        listed: Sequence[str] = getattr(bm25s().stopwords, STOP_WORDS[language])
        return listed
    if language == "none" or options.stop_words == "language":  # many languages have a stemmer and no list
        return ()
    raise SuiteError(
        f"no stop words for {options.stop_words!r} in retriever {config.name!r}",
        place=config.place,
        fix=suggestion(options.stop_words, [*STOP_WORDS, "language", "none"], label="known") + "; or list the words",
    )


def _named(language: str) -> str:
    return CODES.get(language.lower(), language.lower())


def _ranges(signs: Sequence[str]) -> str:
    """A character class's inside for these signs, in order, as ranges."""
    runs = []
    for _, group in groupby(enumerate(signs), key=lambda pair: ord(pair[1]) - pair[0]):
        run = [sign for _, sign in group]
        runs.append(re.escape(run[0]) if len(run) == 1 else f"{re.escape(run[0])}-{re.escape(run[-1])}")
    return "".join(runs)
