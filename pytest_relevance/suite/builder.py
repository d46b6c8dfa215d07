"""Events of a YAML parser → trees. Duplicate keys, tags, endless aliases and the like are refused with their place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import yaml

from pytest_relevance.errors import SuiteError
from pytest_relevance.suite.environment import expanded
from pytest_relevance.suite.located import NOTHING, Nothing, Series, Table, Tree, kind_of
from pytest_relevance.suite.scalars import Text
from pytest_relevance.suite.source import Source, Spot
from pytest_relevance.suite.syntax import Parser, refused

Document: TypeAlias = tuple[Tree, int, int]  # a tree with the offsets where it begins and ends

DEEPEST = 64  # mappings and lists inside each other
MOST_REPEATED = 500_000  # values that aliases may add to a file

_STANDARD = "tag:yaml.org,2002:"  # what `!!` stands for
_TEXT_TAG = f"{_STANDARD}str"
_ALLOWED_TAGS = frozenset((None, "!", _TEXT_TAG, f"{_STANDARD}map", f"{_STANDARD}seq"))
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_QUOTE = "put it in quotes if the word itself is meant"


def documents(source: Source) -> list[Document]:
    """Every document of the file that holds something.

    Raises:
        SuiteError: the text is not YAML, or says something that a suite cannot say.
    """
    builder = _Builder(source)
    try:
        parser: Any = Parser(source.text)
        try:
            _feed(parser.get_event, builder)
        finally:
            parser.dispose()
    except yaml.YAMLError as error:
        raise refused(error, source) from None
    return builder.documents


def _feed(next_event: Callable[[], Any], builder: _Builder) -> None:
    steps: Mapping[type, Callable[[Any], None]] = {
        yaml.ScalarEvent: builder.scalar,
        yaml.MappingStartEvent: builder.open_table,
        yaml.MappingEndEvent: builder.close,
        yaml.SequenceStartEvent: builder.open_series,
        yaml.SequenceEndEvent: builder.close,
        yaml.AliasEvent: builder.alias,
        yaml.DocumentStartEvent: builder.open_document,
    }
    while (event := next_event()) is not None:
        step = steps.get(type(event))
        if step:
            step(event)


class _Open:
    """A mapping or list that is still being filled."""

    __slots__ = ("anchor", "before", "height", "holder", "key", "key_end", "key_start", "merges")

    def __init__(self, holder: Table | Series, anchor: str | None, before: int) -> None:
        self.holder = holder
        self.anchor = anchor
        self.before = before  # values of the file when it was opened
        self.height = 1  # levels in it
        self.key: str | None = None  # the key whose value comes next
        self.key_start = self.key_end = 0
        self.merges: list[Document] = []


class _Builder:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.documents: list[Document] = []
        self._open: list[_Open] = []
        self._anchors: dict[str, tuple[Tree, int, int]] = {}  # name → tree, its values, its levels
        self._opened: set[str] = set()  # anchors of what is still being filled
        self._values = 0
        self._repeated = 0

    def open_document(self, _event: Any) -> None:
        self._anchors.clear()

    def scalar(self, event: Any) -> None:
        start, end = event.start_mark.index, event.end_mark.index
        if event.tag not in _ALLOWED_TAGS:
            self._refuse_tag(event)
        value: Tree = event.value
        if not event.style and value in _NULLS and event.tag != _TEXT_TAG:
            value = NOTHING
        elif event.style == '"' and ("\0" in event.value or not event.value.isprintable()):
            self._refuse_unwritable(event.value, start, end)
        if event.style:
            value = Text(event.value, quoted=True)
        if event.anchor:
            self._anchors[event.anchor] = value, 1, 0
        self._add(value, start, end, 0)

    def open_table(self, event: Any) -> None:
        self._push(Table(self.source, event.start_mark.index), event)

    def open_series(self, event: Any) -> None:
        self._push(Series(self.source, event.start_mark.index), event)

    def close(self, event: Any) -> None:
        done = self._open.pop()
        holder = done.holder
        # The end of a mapping in block style is the beginning of what follows it; what was written ends before that.
        holder.end = max(event.end_mark.index, holder.start)
        if isinstance(holder, Table):
            for merged, start, end in done.merges:
                self._merge(holder, merged, Spot(self.source, start, end))
        if done.anchor:
            self._opened.discard(done.anchor)
            self._anchors[done.anchor] = holder, self._values - done.before + 1, done.height
        self._add(holder, holder.start, holder.end, done.height)

    def alias(self, event: Any) -> None:
        start, end = event.start_mark.index, event.end_mark.index
        name = event.anchor
        if name in self._opened:
            raise self._error(f"'*{name}' stands inside what it refers to", start, end, "break the circle")
        if name not in self._anchors:
            known = ", ".join(f"*{anchor}" for anchor in self._anchors) or "none"
            raise self._error(f"'*{name}' refers to nothing above it", start, end, f"anchors so far: {known}")
        tree, values, height = self._anchors[name]
        self._repeated += values
        if self._repeated > MOST_REPEATED:
            fix = f"write it out, or split the suite (at most {MOST_REPEATED:,} values may come from aliases)"
            raise self._error("the aliases of this file repeat too much", start, end, fix)
        self._values += values
        self._add(tree, start, end, height)

    def _push(self, holder: Table | Series, event: Any) -> None:
        if event.tag not in _ALLOWED_TAGS or event.tag == _TEXT_TAG:
            self._refuse_tag(event)
        if event.anchor:
            self._opened.add(event.anchor)
            self._anchors.pop(event.anchor, None)
        self._open.append(_Open(holder, event.anchor, self._values))
        self._refuse_depth(len(self._open), holder.start)

    def _refuse_depth(self, levels: int, start: int) -> None:
        if levels > DEEPEST:
            raise self._error(f"more than {DEEPEST} levels inside each other", start, start + 1, "flatten this")

    def _add(self, value: Tree, start: int, end: int, height: int) -> None:
        self._values += 1
        if not self._open:
            if not isinstance(value, Nothing):
                self.documents.append((self._final(value, start, end), start, end))
            return
        inside = self._open[-1]
        if height >= inside.height:
            inside.height = height + 1
            self._refuse_depth(len(self._open) + height, start)
        holder = inside.holder
        if isinstance(holder, Series):
            holder.append(self._final(value, start, end))
            holder.spans.append((start, end))
        elif inside.key is None:
            self._take_key(inside, holder, value, start, end)
        else:
            self._take_value(inside, holder, value, start, end)

    def _take_key(self, inside: _Open, holder: Table, value: Tree, start: int, end: int) -> None:
        if not isinstance(value, str):
            fix = _QUOTE if isinstance(value, Nothing) else "put the whole text in quotes if '{' or '[' belongs to it"
            raise self._error(f"a key is text, found {kind_of(value)}", start, end, fix)
        if value in holder.spans:
            first = holder.key_spot(value).place.line
            here = self.source.place(start, end).line
            lines = f"line {here}, twice" if first == here else f"lines {first} and {here}"
            raise self._error(f"key {self._shown(value, start, end)!r} is there twice: {lines}", start, end, "keep one")
        inside.key, inside.key_start, inside.key_end = str(value), start, end

    def _take_value(self, inside: _Open, holder: Table, value: Tree, start: int, end: int) -> None:
        key = inside.key or ""
        inside.key = None
        if key == "<<" and self.source.text.startswith("<<", inside.key_start):
            merges: list[Tree] = list(value) if isinstance(value, Series) else [value]
            inside.merges += [(one, start, end) for one in merges]
            return
        holder[key] = self._final(value, start, end)
        holder.spans[key] = inside.key_start, inside.key_end, start, end

    def _final(self, value: Tree, start: int, end: int) -> Tree:
        if isinstance(value, str) and "${" in value:
            return expanded(value, Spot(self.source, start, end))
        return value

    def _merge(self, holder: Table, merged: Tree, spot: Spot) -> None:
        if not isinstance(merged, Table):
            fix = "give '<<' an alias of keys and values, such as '<<: *name'"
            raise SuiteError(f"'<<' merges keys and values, found {kind_of(merged)}", place=spot.place, fix=fix)
        for key, value in merged.items():
            if key not in holder:  # what is written beside `<<` goes first, then the earlier of several merges
                holder[key] = value
                holder.spans[key] = merged.spans[key]

    def _shown(self, value: str, start: int, end: int) -> str:
        return self.source.written(start, end) or value

    def _refuse_tag(self, event: Any) -> None:
        start, shown = event.start_mark.index, str(event.tag).replace(_STANDARD, "!!")
        end = start + len(shown) if self.source.text.startswith(shown, start) else start + 1
        fix = "remove it: values are text until a number is asked for"
        raise self._error(f"tag {shown!r} is not read here", start, end, fix)

    def _refuse_unwritable(self, value: str, start: int, end: int) -> None:
        if "\0" in value:
            raise self._error(r"'\0' cannot be part of a text", start, end, "remove it")
        if any("\ud800" <= character <= "\udfff" for character in value):
            fix = r"write the character itself, or \U and its eight digits"
            raise self._error("half of a character (a surrogate) cannot be part of a text", start, end, fix)

    def _error(self, problem: str, start: int, end: int, fix: str) -> SuiteError:
        return SuiteError(problem, place=self.source.place(start, end), fix=fix)
