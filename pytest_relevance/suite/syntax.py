"""The YAML parser (C where PyYAML has it), and its complaints in the words of someone who edits the file."""

from __future__ import annotations

import re
from typing import Any

import yaml
from yaml.parser import Parser as _Grammar
from yaml.reader import Reader
from yaml.scanner import Scanner

from pytest_relevance.errors import SuiteError
from pytest_relevance.suite.source import Source


class PythonParser(Reader, Scanner, _Grammar):
    """PyYAML's own parser: the same events as the C one, about ten times slower."""

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        _Grammar.__init__(self)


def _fastest() -> type[Any]:
    try:
        from yaml._yaml import CParser
    except ImportError:
        return PythonParser
    return CParser


Parser: type[Any] = _fastest()

_INDENT = "check the indentation of this line against the lines above it"
_QUOTES = "put the text in quotes if it holds ': ', ' #' or begins with a sign"

# (what PyYAML says, our words, our fix, whether to point at the opening)
_WORDS: tuple[tuple[str, str, str, bool], ...] = (
    ("found character.*cannot start any token", "a text cannot begin with {character}", "put it in quotes", False),
    ("tab character", "a tab indents this line", "indent with spaces", False),
    ("mapping values are not allowed", "a ':' stands where no key can be", f"{_INDENT}; {_QUOTES}", False),
    ("found unexpected ':'", "a ':' with no blank behind it", f"write a blank behind it; {_QUOTES}", False),
    ("could not find expected ':'", "a key without its ':'", f"write 'key: value'; {_QUOTES}", False),
    (
        "expected key|expected '-' indicator|expected <block end>",
        "this does not fit the lines above it",
        _INDENT,
        False,
    ),
    ("expected ',' or '\\]'", "this '[' is not closed where a ']' is due", "close it, or add the missing ','", True),
    ("expected ',' or '}'", "this '{{' is not closed where a '}}' is due", "close it, or add the missing ','", True),
    ("unexpected end of stream", "this quote is never closed", "close it", True),
    ("unexpected document (indicator|separator)", "this quote is not closed before '---' or '...'", "close it", True),
    (
        "unknown escape character",
        "{character} does not follow a backslash in double quotes",
        "use single quotes, or write the backslash twice",
        False,
    ),
    (
        "Unicode character escape|hexdeci?mal",
        "this escape names no character",
        r"write the character itself, or \u with four digits, \U with eight",
        False,
    ),
    ("document start", "something stands outside the one document", "remove it, or check its indentation", False),
    ("not allowed (here|in this context)", "this cannot stand here", _INDENT, False),
    ("alphabetic or numeric", "an anchor or alias needs a name of letters and digits", _QUOTES, False),
    ("maximum nesting depth", "too many levels inside each other", "flatten this", False),
    ("directive|YAML document|tag handle|%", "directives and tags are not read here", "remove this", False),
    ("expected (the )?node content", "a value is missing here", f"write it; {_QUOTES}", False),
    ("line break|chomping|indentation indicator", "'|' and '>' are followed by a new line", _QUOTES, False),
)


def refused(error: yaml.YAMLError, source: Source) -> SuiteError:
    """The parser's complaint as ours."""
    problem = str(getattr(error, "problem", None) or error)
    mark = getattr(error, "problem_mark", None)
    opened = getattr(error, "context_mark", None)
    at = min(mark.index if mark else 0, len(source.text))
    character = _named(source.text[at : at + 1])
    for pattern, words, fix, at_opening in _WORDS:
        if re.search(pattern, problem):
            if at_opening and opened:
                at = min(opened.index, len(source.text))
            if character == "a tab" and "begin with" in words:
                words, fix = "a tab stands where the line's text begins", "indent with spaces"
            return SuiteError(words.format(character=character), place=_place(source, at), fix=fix)
    return SuiteError("this is not YAML that can be read", place=_place(source, at), fix=f"{_INDENT}; {_QUOTES}")


def _place(source: Source, at: int) -> Any:
    # A complaint about the end of the file is shown at the last thing that stands there.
    if at >= len(source.text.rstrip()):
        at = max(len(source.text.rstrip()) - 1, 0)
    return source.place(at, at + 1)


def _named(character: str) -> str:
    return {"\t": "a tab", "": "nothing", "\n": "a line break", " ": "a blank"}.get(character, f"{character!r}")
