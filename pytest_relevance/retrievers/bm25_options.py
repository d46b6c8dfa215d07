"""The options of `type: bm25`, and the languages it knows."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from pytest_relevance.errors import suggestion
from pytest_relevance.suite.forms import misfit

Method = Literal["lucene", "robertson", "atire", "bm25+", "bm25l"]

# Two-letter codes people write in suites; the names are those of the Snowball stemmers and of bm25s' stop words.
CODES = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "ko": "korean",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
    "zh": "chinese",
}

# bm25s' stop words by language: the name of the list in `bm25s.stopwords`.
STOP_WORDS = {
    "chinese": "STOPWORDS_CHINESE",
    "danish": "STOPWORDS_DANISH",
    "dutch": "STOPWORDS_DUTCH",
    "english": "STOPWORDS_EN",  # the 33 words of Lucene's English analyzer
    "french": "STOPWORDS_FRENCH",
    "german": "STOPWORDS_GERMAN",
    "italian": "STOPWORDS_ITALIAN",
    "korean": "STOPWORDS_KOREAN",
    "norwegian": "STOPWORDS_NORWEGIAN",
    "portuguese": "STOPWORDS_PORTUGUESE",
    "russian": "STOPWORDS_RUSSIAN",
    "spanish": "STOPWORDS_SPANISH",
    "swedish": "STOPWORDS_SWEDISH",
    "turkish": "STOPWORDS_TURKISH",
}


class Bm25Options(BaseModel):
    """What a suite may say beside `type: bm25`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    language: str = "english"  # of the stemmer and the stop words, by name or two-letter code; none: neither
    stemming: bool = True
    stop_words: str | tuple[str, ...] = "language"  # language, the name of another language, none, or the words
    lowercase: bool = True
    method: Method = "lucene"
    k1: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 1.2  # Lucene's default
    b: Annotated[float, Field(ge=0, le=1)] = 0.75
    delta: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.5  # of bm25+ and bm25l; the others have none
    fields: tuple[str, ...] = ()  # indexed, in this order; none named: every text field

    @field_validator("language")
    @classmethod
    def _known_language(cls, language: str) -> str:
        languages = sorted({*stemmed_languages(), *STOP_WORDS, "none"})
        if language_named(language) not in languages:
            raise misfit("unknown language {written}", suggestion(language, languages, label="known"))
        return language_named(language)

    @field_validator("stop_words")
    @classmethod
    def _known_stop_words(cls, stop_words: str | tuple[str, ...]) -> str | tuple[str, ...]:
        known = ("language", "none", *STOP_WORDS)
        if not isinstance(stop_words, str):
            return stop_words
        if language_named(stop_words) not in known:
            fix = suggestion(stop_words, known, label="or list the words; known")
            raise misfit("there are no stop words called {written}", fix)
        return language_named(stop_words)


def language_named(language: str) -> str:
    """The name of a language that is given by name or by two-letter code, in any letter case."""
    return CODES.get(language.lower(), language.lower())


def stemmed_languages() -> frozenset[str]:
    """The languages that PyStemmer stems.

    Raises:
        ModuleNotFoundError: PyStemmer is not installed.
    """
    return frozenset(import_module("Stemmer").algorithms())  # a module without types
