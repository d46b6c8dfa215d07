"""Options: what does not fit is told at its place, before anything is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_relevance.errors import RelevanceError
from pytest_relevance.retrievers import BUILTIN, RetrieverContext, build
from pytest_relevance.suite import read_suite

SUITE = """suite: shoes
queries: [{{query_id: q1, text: red shoes, relevant: {{d1: 1}}}}]
retrievers:
  live:
    type: {kind}
    {options}
checks: [{{measure: nDCG@10, of: live, at_least: 0.5}}]
"""


def refused(folder: Path, options: str, kind: str = "http") -> str:
    path = folder / "shoes.relevance.yaml"
    path.write_text(SUITE.format(kind=kind, options=options.replace("\n", "\n    ")), encoding="utf-8")
    with pytest.raises(RelevanceError) as caught:
        build(read_suite(path).retrievers["live"], RetrieverContext(folder))
    return str(caught.value).replace(str(path), "shoes.relevance.yaml")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("url: http://h/\nscor: score", "shoes.relevance.yaml:7:5: unknown key 'scor' in retrievers.live"),
        ("url: h:9200/shoes", "shoes.relevance.yaml:6:10: url is no address of a service"),
        ("url: 'http://{{ query.text }}/'", "shoes.relevance.yaml:6:10: url is no address of a service"),
        ("url: ftp://h/", "shoes.relevance.yaml:6:10: url is no address of a service"),
        ("url: http://h/\nhits: 'hits.['", "shoes.relevance.yaml:7:11: the path in hits cannot be read"),
        (
            "url: http://h/\nbody: {q: '{{ query.text'}",
            "shoes.relevance.yaml:7:11: the template in body cannot be read",
        ),
        ("url: http://h/\nparams: {q: '{% if %}'}", "shoes.relevance.yaml:7:13: the template in params cannot be read"),
        ("url: http://h/\npages: {by: cursor}", "pages by cursor need the path to the next one"),
        ("url: http://h/\nshape: rows", "shape: rows needs the names of the columns"),
        ("url: http://h/\nmulti: 5", "this type has no request for many queries at once"),
        ("url: http://h/\nconcurrency: 0", "shoes.relevance.yaml:7:18: retrievers.live.concurrency must be at least 1"),
        ("url: http://h/\nformat: xml\nhits: '//item['", "the path in hits cannot be read"),
    ],
)
def test_what_does_not_fit_is_told_at_its_place(tmp_path: Path, options: str, told: str) -> None:
    assert told in refused(tmp_path, options)


def test_a_preset_asks_for_what_only_the_user_can_know(tmp_path: Path) -> None:
    assert "has no collection" in refused(tmp_path, "url: http://h/\nquery_by: title", "typesense")
    assert "has no body" in refused(tmp_path, "url: http://h/\nindex: kb", "elasticsearch")


@pytest.mark.parametrize("kind", ["http", "elasticsearch", "typesense"])
def test_the_kinds_are_built_in_and_imported_on_use(kind: str) -> None:
    assert kind in BUILTIN


def test_files_of_tls_are_beside_the_suite_and_named_when_missing(tmp_path: Path) -> None:
    path = tmp_path / "shoes.relevance.yaml"
    path.write_text(SUITE.format(kind="http", options="url: https://h/\n    tls: {ca: our-ca.pem}"), encoding="utf-8")
    suite = read_suite(path)
    retriever = build(suite.retrievers["live"], RetrieverContext(tmp_path))
    assert not isinstance(suite.queries, Path)
    with pytest.raises(RelevanceError, match=r"cannot read .*our-ca.pem: no such file"):
        list(retriever.retrieve(suite.queries, depth=10))
