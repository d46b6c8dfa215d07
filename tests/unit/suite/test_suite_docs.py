from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel
from suite_texts import read

from pytest_relevance.errors import RelevanceError
from pytest_relevance.suite.checks import FORMS as CHECKS
from pytest_relevance.suite.expectations import FORMS as EXPECTATIONS
from pytest_relevance.suite.shapes import written_keys
from pytest_relevance.suite.slices import SliceRule
from pytest_relevance.suite.written import GradesForm, QueryForm, SuiteForm

PAGE = Path(__file__).resolve().parents[3] / "docs" / "suite-grammar.md"
# What a block of the page leaves out.
REST = {
    "queries": "queries: queries.jsonl",
    "qrels": "qrels: {editors: qrels.txt}",
    "retrievers": "retrievers: {bm25: {type: bm25}}",
    "report": "report: [nDCG@10]",
}


def blocks(kind: str) -> Iterator[str]:
    return (match[1] for match in re.finditer(rf"^```{kind}\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S))


@pytest.mark.parametrize("block", list(blocks("yaml")), ids=lambda block: block.splitlines()[0])
def test_every_suite_of_the_page_is_read(block: str) -> None:
    left_out = [line for key, line in REST.items() if not re.search(rf"^{key}:", block, re.M)]

    assert read("\n".join([block, *left_out, ""]))


def test_every_key_of_the_grammar_is_on_the_page() -> None:
    page = PAGE.read_text("utf-8")
    forms: list[type[BaseModel]] = [
        SuiteForm,
        GradesForm,
        QueryForm,
        SliceRule,
        *(form for _, form in (*CHECKS, *EXPECTATIONS)),
    ]

    missing = [
        key for form in forms for key in written_keys(form) if not re.search(rf"`[^`\n]*\b{key}\b[^`\n]*`", page)
    ]
    assert missing == []


def test_the_error_of_the_page_is_the_one_that_comes() -> None:
    (block,) = blocks("text")
    lines = ["queries: q.tsv", "qrels: q.txt", "retrievers: {bm25: {type: bm25}}", *[""] * 8, "checks:"]

    with pytest.raises(RelevanceError) as caught:
        read("\n".join([*lines, "  - measure: nDCG@10", "    at_leest: 0.42", ""]))

    assert str(caught.value) == block.rstrip("\n")
