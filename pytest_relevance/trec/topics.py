"""TREC topics, from the SGML of the nineties (tags never closed) to today's XML-like files."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pytest_relevance.errors import DataError, ProblemList, quoted
from pytest_relevance.records import Query
from pytest_relevance.trec.query_list import PlacedQuery
from pytest_relevance.trec.text import Text

_BLOCK = re.compile(r"<(top|topic)(\s[^<>]*)?>(.*?)</\1\s*>", re.DOTALL | re.IGNORECASE)
_FIELD = re.compile(r"<([A-Za-z][\w.-]*)((?:\s[^<>]*)?)>((?:<!\[CDATA\[.*?\]\]>|(?!</?[A-Za-z]).)*)", re.DOTALL)
_ATTRIBUTE = re.compile(r"""([A-Za-z][\w.-]*)\s*=\s*("([^"]*)"|'([^']*)')""")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_ENTITY = re.compile(r"&(amp|lt|gt|quot|apos);")
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_LABEL = re.compile(r"(number|topic|title|description|narrative)\s*:", re.IGNORECASE)
_IDS = ("num", "number", "id", "qid", "query_id", "topic_id")
_TEXTS = ("title", "query", "text")


def topic_queries(text: Text) -> list[PlacedQuery]:
    """One query for each topic: `title` (or `query`) is its text, the other parts are attributes.

    Runs of blanks and line breaks in a part become one blank.

    Raises:
        DataError: a topic without number or title; up to ten with their places.
    """
    # Comments are blanked out rather than cut, so that every place stays where it is.
    whole = _COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text.text)
    problems = ProblemList()
    queries: list[PlacedQuery] = []
    covered = 0
    for block in _BLOCK.finditer(whole):
        covered += 1
        try:
            queries.append(_query(text, block))
        except DataError as problem:
            problems.add(problem)
    _refuse_open(text, whole, covered, problems)
    problems.raise_any()
    return queries


def _query(text: Text, block: re.Match[str]) -> PlacedQuery:
    parts: dict[str, list[str]] = {}
    for name, value in _parts(block):
        parts.setdefault(name, []).append(value)
    id_name = next((name for name in _IDS if parts.get(name, [""])[0]), None)
    text_name = next((name for name in _TEXTS if parts.get(name, [""])[0]), None)
    if id_name is None:
        raise text.error(
            "the topic has no number", block.start(), "add <num>, or number= in its tag", len(block[1]) + 2
        )
    query_id = parts.pop(id_name)[0]
    if text_name is None:
        raise text.error(f"topic {quoted(query_id)} has no title", block.start(), "add <title>", len(block[1]) + 2)
    title = parts.pop(text_name)[0]
    attributes = {name: values[0] if len(values) == 1 else values for name, values in parts.items()}
    return PlacedQuery(Query(query_id, title, attributes), block.start())


def _parts(block: re.Match[str]) -> Iterator[tuple[str, str]]:
    yield from _attributes(block[2] or "")
    for field in _FIELD.finditer(block[3]):
        content = _CDATA.sub(lambda match: match[1].replace("&", "&amp;"), field[3])
        yield field[1].lower(), _plain(_LABEL.sub("", content, count=1) if _LABEL.match(content.lstrip()) else content)


def _attributes(tag: str) -> Iterator[tuple[str, str]]:
    for match in _ATTRIBUTE.finditer(tag):
        yield match[1].lower(), _plain(match[3] if match[3] is not None else match[4])


def _plain(content: str) -> str:
    return " ".join(_ENTITY.sub(lambda match: _ENTITIES[match[1]], content).split())


def _refuse_open(text: Text, whole: str, closed: int, problems: ProblemList) -> None:
    opened = [match.start() for match in re.finditer(r"<(?:top|topic)(?:\s[^<>]*)?>", whole, re.IGNORECASE)]
    if len(opened) > closed:
        problems.add(text.error("a topic is not closed", opened[-1], "end each topic with </top> or </topic>", 5))
