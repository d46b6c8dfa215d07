"""The page on assertions: its blocks are suites, and it leaves out no word."""

from __future__ import annotations

import re
from pathlib import Path

import jsonschema
import pytest
import yaml
from pydantic import BaseModel
from suite_texts import read

from pytest_relevance.suite.asserted import AssertionForm
from pytest_relevance.suite.expectations import FORMS
from pytest_relevance.suite.schema import json_schema
from pytest_relevance.suite.shapes import written_keys

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGE = (DOCS / "assertions.md").read_text("utf-8")
BLOCKS = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.M | re.S)
REST = {
    "queries": "queries: queries.jsonl",
    "qrels": "qrels: qrels.txt",
    "retrievers": "retrievers: {bm25: {type: bm25}}",
}


class _Texts(yaml.CSafeLoader):
    """YAML as editors have it: dates are texts."""


_Texts.yaml_implicit_resolvers = {
    sign: [(tag, pattern) for tag, pattern in rules if not tag.endswith("timestamp")]
    for sign, rules in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.splitlines()[-1].strip())
def test_every_block_of_the_page_is_a_suite(block: str) -> None:
    left_out = [line for key, line in REST.items() if not re.search(rf"^{key}:", block, re.M)]

    assert read("\n".join([block, *left_out, ""])).assertions


def test_the_example_of_every_word_fits_the_schema_that_editors_use() -> None:
    example = DOCS.parent / "example_suites" / "vocabulary" / "vocabulary.relevance.yaml"

    jsonschema.validate(yaml.load(example.read_text("utf-8"), _Texts), json_schema())


def test_every_key_is_on_the_page_and_in_the_grammar() -> None:
    forms: list[type[BaseModel]] = [AssertionForm, *(form for _, form in FORMS)]
    keys = {key for form in forms for key in written_keys(form)}
    pages = (PAGE, (DOCS / "suite-grammar.md").read_text("utf-8"))

    assert [
        key for key in keys for page in pages if not re.search(rf"`[^`\n]*\b{key}\b[^`\n]*`|^ .*\b{key}:", page, re.M)
    ] == []
