"""TREC text line by line: slow, and able to say what is wrong with each line."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from pytest_relevance.errors import DataError, Place, ProblemList, quoted
from pytest_relevance.trec.numbers import grade_problem, score_problem
from pytest_relevance.trec.source import Source

_FIELD = re.compile(rb"[^ \t\n\v\f\r]+")
COMMENT = b"#"


@dataclass(frozen=True)
class Layout:
    """The columns of one kind of TREC file; later fields are ignored."""

    names: tuple[str, ...]
    number: int  # which column holds the grade or the score
    problem: Callable[[bytes], str | None]
    example: str
    rank: int | None = None

    @property
    def title(self) -> str:
        return self.names[self.number]


QRELS = Layout(("query_id", "iteration", "doc_id", "grade"), 3, grade_problem, "q17 0 B08L3B9B9P 2")
RUN = Layout(("query_id", "Q0", "doc_id", "rank", "score", "tag"), 4, score_problem, "q17 Q0 B08L3B9B9P 1 12.5 bm25", 3)
DOCUMENT = 2  # the column of the doc_id in both


@dataclass(frozen=True)
class Line:
    """One row: where its fields are in the line, and what they hold."""

    number: int  # from 1
    fields: tuple[bytes, ...]


def careful_lines(
    block: bytes, layout: Layout, source: Source, before: int, problems: ProblemList
) -> tuple[list[Line], int]:
    """The good rows of a block, its bad ones as `problems`, and the lines it has; `before` lines stand above it."""
    rows: list[Line] = []
    lines = block.splitlines()
    for number, line in enumerate(lines, before + 1):
        fields = tuple(_FIELD.findall(line))
        if not fields or fields[0].startswith(COMMENT):
            continue
        problem = _problem_of(line, fields, layout, source, number)
        if problem:
            problems.add(problem)
        else:
            rows.append(Line(number, fields))
    return rows, len(lines)


def field_place(line: str, column: int, source: Source, number: int) -> Place:
    """The place of one field of a TREC line that has it."""
    spans = [match.span() for match in re.finditer(_FIELD.pattern.decode(), line)]
    start, stop = spans[column] if column < len(spans) else (0, 1)
    return source.place(number, start + 1, line, stop - start)


def encoding_problem(line: bytes, problem: UnicodeDecodeError, source: Source, number: int) -> DataError:
    """The error for a line that is not UTF-8, at the first byte that is not."""
    column = len(line[: problem.start].decode("utf-8")) + 1
    return DataError(
        f"byte 0x{line[problem.start]:02x} is not valid UTF-8",
        place=source.place(number, column, line.decode("utf-8", "backslashreplace"), 4),
        fix=f"re-encode the file, for example: iconv -f WINDOWS-1252 -t UTF-8 {source.shown}",
    )


def _problem_of(
    line: bytes, fields: tuple[bytes, ...], layout: Layout, source: Source, number: int
) -> DataError | None:
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as problem:
        return encoding_problem(line, problem, source, number)
    names = layout.names
    if len(fields) < len(names):
        return DataError(
            f"expected {len(names)} columns ({' '.join(names)}), found {len(fields)}",
            place=source.place(number, 1, text, len(text)),
            fix=f"write {', '.join(names[:-1])} and {names[-1]}, for example '{layout.example}'",
        )
    token = fields[layout.number]
    wrong = layout.problem(token)
    if wrong is None:
        return None
    return DataError(
        f"{layout.title} {quoted(token.decode())} {wrong}",
        place=field_place(text, layout.number, source, number),
        fix=f"drop the document or give it a {layout.title}",
    )
