"""From text to terms: how `bm25` cuts words, drops stop words and stems."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import groupby

from pytest_relevance.retrievers.bm25_library import bm25s
from pytest_relevance.retrievers.bm25_options import STOP_WORDS, Bm25Options, stemmed_languages

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


def analysis_of(options: Bm25Options) -> Analysis:
    """The analysis that these options ask for."""
    stop_words = frozenset(word.lower() for word in _stop_words(options))
    return Analysis(_stemmer(options), stop_words, options.lowercase)


def _stemmer(options: Bm25Options) -> Callable[[str], str] | None:
    if not options.stemming or options.language not in stemmed_languages():
        return None
    stem: Callable[[str], str] = import_module("Stemmer").Stemmer(options.language).stemWord
    return stem


def _stop_words(options: Bm25Options) -> Sequence[str]:
    if not isinstance(options.stop_words, str):
        return options.stop_words
    language = options.language if options.stop_words == "language" else options.stop_words
    if language not in STOP_WORDS:  # none, or one of the many languages that have a stemmer and no list
        return ()
    listed: Sequence[str] = getattr(bm25s().stopwords, STOP_WORDS[language])
    return listed


def _ranges(signs: Sequence[str]) -> str:
    """A character class's inside for these signs, in order, as ranges."""
    runs = []
    for _, group in groupby(enumerate(signs), key=lambda pair: ord(pair[1]) - pair[0]):
        run = [sign for _, sign in group]
        runs.append(re.escape(run[0]) if len(run) == 1 else f"{re.escape(run[0])}-{re.escape(run[-1])}")
    return "".join(runs)
