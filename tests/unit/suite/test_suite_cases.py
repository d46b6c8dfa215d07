from __future__ import annotations

from pathlib import Path

import pytest

from pytest_relevance.errors import RelevanceError
from pytest_relevance.suite import Suite
from pytest_relevance.suite.reader import suite_of
from pytest_relevance.suite.source import source_of

# The cases hold queries only; a suite also says who is asked, and what.
REST = b"\nretrievers: {bm25: {type: bm25}}\nreport: [nDCG@10]\n"


def read_case(folder: Path, name: str = "suite.yaml", rest: bytes = REST) -> Suite:
    return suite_of(source_of(name, (folder / name).read_bytes() + rest), folder / name)


@pytest.fixture
def cases(shared: Path) -> Path:
    return shared / "cases"


def texts(suite: Suite) -> dict[str, str]:
    assert isinstance(suite.queries, tuple)
    return {query.query_id: query.text for query in suite.queries}


def test_064_a_query_that_is_null_is_refused_with_its_line_and_the_hint_to_quote(cases: Path) -> None:
    with pytest.raises(RelevanceError) as caught:
        read_case(cases / "064-norway")

    assert "suite.yaml:9:" in str(caught.value)
    assert "quotes" in str(caught.value)


def test_064_no_and_on_are_searched_as_written(cases: Path) -> None:
    whole = (cases / "064-norway" / "suite.yaml").read_bytes().replace(b"query: ~", b"query: '~'")

    assert texts(suite_of(source_of("suite.yaml", whole + REST), Path("suite.yaml"))) == {
        "q1": "no",
        "q2": "on",
        "q3": "~",
    }


def test_066_a_key_that_is_there_twice_is_named_with_both_lines(cases: Path) -> None:
    with pytest.raises(RelevanceError) as caught:
        read_case(cases / "066-duplicate-keys")

    assert "'d1' is there twice: lines 5 and 7" in str(caught.value)


def test_068_a_query_id_that_is_there_twice_is_named(cases: Path) -> None:
    with pytest.raises(RelevanceError) as caught:
        read_case(cases / "068-duplicate-query-ids")

    assert "'q1' is there twice: lines 2 and 5" in str(caught.value)


def test_118_text_is_utf8(cases: Path) -> None:
    assert texts(read_case(cases / "118-text-is-utf-8")) == {"q1": "“smart quotes” naïve Größe €"}


def test_122_broken_trailing_and_empty_files(cases: Path) -> None:
    folder = cases / "122-one-broken-suite"

    assert list(texts(read_case(folder, "a_good.yaml"))) == ["q1", "q2"]
    with pytest.raises(RelevanceError, match=r"b_broken\.yaml:3:"):
        read_case(folder, "b_broken.yaml")
    trailing = (folder / "c_trailing.yaml").read_bytes()
    rest = trailing.replace(b"---", b"") + REST + b"---\n"
    assert list(texts(suite_of(source_of("c.yaml", rest), Path("c.yaml")))) == ["q3", "q4"]
    with pytest.raises(RelevanceError, match="no suite here"):
        read_case(folder, "d_empty.yaml", b"")


@pytest.mark.parametrize(
    ("name", "ids"),
    [
        ("072-names-in-any-script", ["ja", "ar", "emoji", "combining"]),
        ("074-separators-in-ids", ["std::vector", "a/b", "line\nbreak"]),
        (
            "114-file-names-from-ids",
            ["bm25:k1=0.9", "what?", "CON", "../up", "a/b", "A/B", "trailing.", "\u00e9", "e\u0301"],
        ),
    ],
)
def test_ids_are_opaque(cases: Path, name: str, ids: list[str]) -> None:
    assert list(texts(read_case(cases / name))) == ids
