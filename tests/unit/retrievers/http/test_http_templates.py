"""Templates: what a query's text can never do, and what stays what it is."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.records import Query
from pytest_relevance.retrievers.http.failures import NotAnswered
from pytest_relevance.retrievers.http.options import HttpOptions
from pytest_relevance.retrievers.http.requests import Request, RequestTemplate
from pytest_relevance.retrievers.http.templates import (
    OMIT,
    QueryView,
    compile_text,
    compile_tree,
    compile_value,
    lucene,
    url_encoded,
)
from pytest_relevance.suite.scalars import Reference, Text

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


def names(text: str = "red shoes", **more: Any) -> dict[str, Any]:
    query = QueryView(Query("q1", text, {"language": "de", "filters": ["a", "b"], "weight": 2.5}))
    return {"query": query, "depth": 10, "omit": OMIT, "vector": [0.5, -1e-9], **more}


@given(TEXTS)
def test_no_text_changes_the_structure_of_a_body(text: str) -> None:
    body = {"query": {"match": {"title": "{{ query.text }}"}}, "size": 10, "more": ["say {{ query.text }}!"]}
    rendered = compile_tree(body)(names(text))

    expected = {"query": {"match": {"title": text}}, "size": 10, "more": [f"say {text}!"]}
    assert json.loads(json.dumps(rendered)) == expected


@given(TEXTS)
def test_a_parameter_arrives_as_it_was_written(text: str) -> None:
    request = RequestTemplate(HttpOptions(url="http://h/s?q={{ query.text }}&size=10", params={"p": "{{ query }}"}))
    address = request.request(names(text)).address

    pairs = parse_qsl(urlsplit(address).query, keep_blank_values=True)
    assert pairs == [("q", text), ("size", "10"), ("p", text)]


@given(TEXTS)
def test_a_part_of_a_path_stays_one_part(text: str) -> None:
    path = urlsplit("http://h/a/" + url_encoded(text) + "/b").path

    assert [unquote(part) for part in path.split("/")] == ["", "a", text, "b"]
    assert path.split("/")[2] not in (".", "..")


def test_one_expression_keeps_its_type_and_anything_more_is_text() -> None:
    tree = {
        "k": "{{ depth }}",
        "twice": "{{ depth * 2 }}",
        "v": "{{ vector }}",
        "list": "{{ query.filters }}",
        "boost": "{{ query.weight }}",
        "text": "{{ depth }} ",
        "two": "{{ depth }}{{ depth }}",
        "query": "{{ query }}",
        "upper": "{{ query.text | upper }}",
    }
    assert compile_tree(tree)(names()) == {
        "k": 10,
        "twice": 20,
        "v": [0.5, -1e-9],
        "list": ["a", "b"],
        "boost": 2.5,
        "text": "10 ",
        "two": "1010",
        "query": "red shoes",
        "upper": "RED SHOES",
    }


def test_a_text_that_reads_as_a_number_stays_a_text() -> None:
    assert compile_value("{{ query.text }}")(names("012")) == "012"
    assert compile_value("{{ query.text }}")(names("{{ depth }}")) == "{{ depth }}"


def test_unquoted_scalars_of_a_suite_are_what_json_has_for_them_and_quoted_ones_text() -> None:
    tree = {"a": "10", "b": Text("10", quoted=True), "c": "true", "d": "012", "e": "1.5e3", "f": None, "g": "1e-3x"}

    rendered = compile_tree(tree)(names())
    assert rendered == {"a": 10, "b": "10", "c": True, "d": "012", "e": 1500.0, "f": None, "g": "1e-3x"}


def test_omit_leaves_a_key_an_item_or_a_parameter_out() -> None:
    tree = {"a": "{{ omit }}", "b": ["{{ omit }}", 1], "c": "{{ query.language if false else omit }}"}
    assert compile_tree(tree)(names()) == {"b": [1]}

    template = RequestTemplate(HttpOptions(url="http://h/", params={"a": "{{ omit }}", "b": ["x", "y"]}))
    assert template.request(names()).address == "http://h/?b=x&b=y"


@pytest.mark.parametrize(
    "text", ["{{ query.colour }}", "{{ colour }}", "say {{ query.colour }}", "{{ query.colour | upper }}"]
)
def test_what_a_query_does_not_have_is_told_and_not_left_empty(text: str) -> None:
    with pytest.raises(NotAnswered, match="colour"):
        compile_value(text)(names())


@pytest.mark.parametrize("text", ["{{ query.__class__ }}", "{{ ''.__class__.__mro__ }}", "{{ query._query }}"])
def test_templates_do_not_reach_python(text: str) -> None:
    with pytest.raises(NotAnswered):
        compile_value(text)(names())


def test_lucene_signs_and_words_are_escaped() -> None:
    assert lucene('(1+1):2 AND "x"') == '\\(1\\+1\\)\\:2 \\AND \\"x\\"'
    assert compile_text("{{ query.text | lucene }}")(names("a/b")) == "a\\/b"


def test_the_url_filter_and_the_encoding_of_urls_do_not_add_up() -> None:
    assert compile_text("http://h/{{ query.text | url }}", encode=url_encoded)(names("a b")) == "http://h/a%20b"


def test_the_json_filter_writes_a_text_for_a_template_inside_a_text() -> None:
    assert compile_text("{ q: {{ query.text | json }} }")(names('say "hi"')) == '{ q: "say \\"hi\\"" }'


def test_template_marks_in_an_environment_value_are_not_run() -> None:
    text = Text("key {{ depth }}!", references=(Reference("KEY", "{{ depth }}"),))

    assert compile_value(text)(names()) == "key {{ depth }}!"


def test_a_line_break_in_a_header_is_refused() -> None:
    template = RequestTemplate(HttpOptions(url="http://h/", headers={"X-Query": "{{ query.text }}"}))

    with pytest.raises(NotAnswered, match="X-Query would hold a line break"):
        template.request(names("a\r\nX-Admin: 1")).header_bytes()


def test_a_request_prints_nothing_of_itself() -> None:
    request = Request("POST", "http://h/s3cret", (("Authorization", "s3cret"),), body={"k": "s3cret"})

    assert "s3cret" not in repr(request) + str(request) + f"{request}"
