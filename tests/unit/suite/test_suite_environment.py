from __future__ import annotations

import pytest
from pydantic import BaseModel, model_validator
from suite_texts import BASE, FILE, read, refused, refused_more, tree

from pytest_relevance.errors import SuiteError
from pytest_relevance.suite.located import plain

SECRET = "hunter2-hunter2"


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SET", "value")
    monkeypatch.setenv("EMPTY", "")
    monkeypatch.setenv("LOOKS_NULL", "null")
    monkeypatch.setenv("SECRET", SECRET)
    monkeypatch.delenv("UNSET", raising=False)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("${SET}", "value"),
        ("a ${SET}-${SET} b", "a value-value b"),
        ("'${SET}'", "value"),
        ('"${SET}\\n"', "value\n"),
        ("${UNSET:-default}", "default"),
        ("${UNSET:-}", ""),
        ("${EMPTY:-default}", "default"),
        ("${EMPTY}", ""),
        ("${SET:-default}", "value"),
        ("${UNSET:-http://127.0.0.1:9200}", "http://127.0.0.1:9200"),
        ("$${SET}", "${SET}"),
        ("cost $5 and $SET", "cost $5 and $SET"),
        ("${LOOKS_NULL}", "null"),
    ],
)
def test_references_are_replaced_inside_any_scalar(written: str, value: str) -> None:
    assert plain(tree(f"a: {written}\n"))["a"] == value


def test_keys_are_left_as_they_are() -> None:
    assert plain(tree("${UNSET}: 1\n")) == {"${UNSET}": "1"}


def test_an_unset_variable_is_named_at_its_scalar() -> None:
    error = refused("a: 1\nurl: http://${UNSET}/x\n")

    assert error.problem == "environment variable UNSET is not set"
    assert str(error.place) == f"{FILE}:2:6"
    assert error.fix == "set UNSET, or give a default: ${UNSET:-…}"


@pytest.mark.parametrize("written", ["${", "${SET", "${1X}", "${SET-x}", "${}", "${SET:-${UNSET}}", "${ SET }"])
def test_a_reference_that_is_none_is_not_left_silently(written: str) -> None:
    assert refused(f"a: '{written}'\n").problem == "cannot read this '${'"


@pytest.mark.parametrize(
    "text",
    [
        "checks: [{measure: '${SECRET}', at_least: 0.1}]",
        "checks: [{measure: nDCG@10, of: '${SECRET}', at_least: 0.1}]",
        "checks: [{measure: nDCG@10, of: [live, '${SECRET}'], at_least: 0.1}]",
        "checks: [{measure: nDCG@10, at_least: '${SECRET}'}]",
        "checks: [{measure: nDCG@10, at_least: 1, slice: '${SECRET}'}]",
        "checks: [{measure: nDCG@10, at_least: 1, slice: 'type=${SECRET}'}]",
        "checks: [{measure: nDCG@10, at_least: 1, total: '${SECRET}'}]",
        "checks: [{measure: nDCG@10, at_least: 1, qrels: '${SECRET}'}]",
        "checks: [{measure: nDCG@10, at_least: 1, level: '${SECRET}'}]",
        "checks: [{overlap: '${SECRET}', at_least: 1, with: live}]",
        "assertions: [{query: q1, expect: [{top: '${SECRET}', contains: d}]}]",
        "assertions: [{query: q1, expect: [{top: 3, all: {a: '/(${SECRET}/'}}]}]",
        "grades: {gain: '${SECRET}'}",
        "depth: '${SECRET}'",
        "duplicates: '${SECRET}'",
        "report: ['${SECRET}@10']",
    ],
)
def test_what_comes_from_the_environment_is_never_shown(text: str) -> None:
    error = refused_more(text)

    assert SECRET not in str(error)
    assert SECRET not in repr(error.__dict__)
    assert "${SECRET}" in str(error)


class Options(BaseModel, extra="forbid"):
    url: str
    size: int = 10
    body: dict[str, object] | None = None

    @model_validator(mode="after")
    def _talkative(self) -> Options:
        if self.body is not None:
            raise ValueError(f"this body does not fit {self.url}: {self.body}")
        return self


def test_a_retrievers_options_hide_it_too() -> None:
    text = BASE.replace("{type: http}", "{type: http, url: 'http://${SECRET}@x', size: '${SECRET}'}")
    config = read(text + "report: [nDCG@10]\n").retrievers["live"]

    assert SECRET not in repr(config)
    with pytest.raises(SuiteError) as caught:
        config.validate(Options)
    assert caught.value.problem == "retrievers.live.size needs a whole number, found '${SECRET}'"
    assert SECRET not in str(caught.value)


def test_a_third_partys_words_are_cleaned_of_it() -> None:
    text = BASE.replace("{type: http}", "{type: http, url: 'http://${SECRET}@x', body: {password: '${SECRET}'}}")
    config = read(text + "report: [nDCG@10]\n").retrievers["live"]

    with pytest.raises(SuiteError) as caught:
        config.validate(Options)

    assert "this body does not fit http://${SECRET}@x" in str(caught.value)
    assert SECRET not in str(caught.value)
