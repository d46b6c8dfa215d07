"""Suites of other tools become suites that are read, and say what the others said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.cli import main
from pytest_relevance.errors import DataError, RelevanceError
from pytest_relevance.formats.convert import KINDS, convert
from pytest_relevance.formats.converted import Converted, ConvertedQuery, Stated, suite_yaml, write_suite
from pytest_relevance.suite import InlineQrels, Suite, load_data, read_suite
from pytest_relevance.suite.reader import suite_of
from pytest_relevance.suite.source import source_of

RANK = [
    {"search_terms": "horse", "expected_ids": ["a1"], "id": "one-horse"},
    {
        "search_terms": "cow",
        "expected_ids": ["b1", "b2"],
        "strict": True,
        "known_failure": True,
        "description": "plurals",
    },
    {"search_terms": "duck", "expected_ids": ["c1"], "forbidden_ids": ["c9"], "threshold_position": 10},
    {"search_terms": "x ray", "before_ids": ["d1", "d2"], "after_ids": ["d8", "d9"]},
]
NIXOS = [
    {"id": "g1", "q": "python", "category": "language", "exhaustive": False, "relevant": [["py3"], ["py2", "pypy"]]},
    {"id": "g2", "q": "vim", "category": "editor", "exhaustive": True, "relevant": [["vim", "neovim"]]},
]
WIKIMEDIA = {
    "api": "https://example.org/w/api.php",
    "queries": {"douglas adams": ["Douglas Adams"], "zoo": ["Zoo", "ZOO"]},
}
RATINGS = "query,docid,rating\nred shoes,0012,3\nred shoes,7,0.5\nnobody rated this,,\nhats,7,0\n"
RSPEC = """query,as_first,include,in_first,not_include,before,have_at_least,same_results_as,pending
waffle,6720427,,,,,,,
french beans,,7716344 771|12,5,69555562,,100,,
titles,,4535360,,,7763651,,,
quartet,,,,,,,quartets,stemming
"""


def written(tmp_path: Path, name: str, content: object) -> Path:
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def suite_in(converted: Converted) -> Suite:
    return suite_of(source_of("converted.yaml", suite_yaml(converted).encode()), Path("converted.yaml"))


def stated(suite: Suite) -> list[tuple[str, str]]:
    return [(assertion.query, one.text) for assertion in suite.assertions for one in assertion.expect]


def test_rank_cases(tmp_path: Path) -> None:
    suite = suite_in(convert(written(tmp_path, "cases.json", {"precision": RANK[:2], "other": {"cases": RANK[2:]}})))

    assert stated(suite) == [
        ("horse", "top 1 contains a1"),
        ("cow", "top 2 contains b1, b2"),
        ("cow", "order b1, b2"),
        ("duck", "top 10 contains c1"),
        ("duck", "top 10 excludes c9"),
        ("x ray", "tiers d1, d2 > d8, d9"),
    ]
    assert [one.known_failure for one in suite.assertions] == ["", "plurals", "", ""]


def test_nixos_tiers_are_grades_and_an_order_between_tiers(tmp_path: Path) -> None:
    suite = suite_in(convert(written(tmp_path, "gold.json", NIXOS)))

    (qrels,) = suite.qrels.values()
    assert isinstance(qrels, InlineQrels)
    assert qrels.grades == {"g1": {"py3": 2, "py2": 1, "pypy": 1}, "g2": {"vim": 1, "neovim": 1}}
    assert stated(suite) == [("python", "tiers py3 > py2, pypy")]
    assert not isinstance(suite.queries, Path)
    assert [query.attributes["category"] for query in suite.queries] == ["language", "editor"]


def test_wikimedia_titles_must_be_found(tmp_path: Path) -> None:
    suite = suite_in(convert(written(tmp_path, "sanity.json", WIKIMEDIA)))

    assert stated(suite) == [("douglas adams", "top 10 contains Douglas Adams"), ("zoo", "top 10 contains Zoo, ZOO")]


def test_ratings_become_queries_and_judgments_and_keep_who_was_not_rated(tmp_path: Path) -> None:
    files = write_suite(convert(written(tmp_path, "ratings.csv", RATINGS)), tmp_path / "out")

    assert [path.name for path in files] == ["ratings.relevance.yaml", "queries.jsonl", "qrels.jsonl"]
    data = load_data(read_suite(files[0]))
    assert data.queries.to_dict() == {"q1": "red shoes", "q2": "nobody rated this", "q3": "hats"}
    assert data.qrels["qrels"].to_dict() == {"q1": {"0012": 3.0, "7": 0.5}, "q3": {"7": 0.0}}


def test_rspec_like_tables(tmp_path: Path) -> None:
    suite = suite_in(convert(written(tmp_path, "relevance.csv", RSPEC)))

    assert stated(suite) == [
        ("waffle", "first 6720427"),
        ("french beans", "top 5 contains 7716344, 771, 12"),
        ("french beans", "top 5 excludes 69555562"),
        ("french beans", "at least 100 results"),
        ("titles", "tiers 4535360 > 7763651"),
        ("quartet", "top 20 same as quartets"),
    ]
    assert suite.assertions[-1].known_failure == "stemming"


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("broken.json", '{"queries": [', "broken.json:1:14: not JSON"),
        ("list.json", "[1, 2]", "holds no case with search_terms"),
        ("tiers.json", '[{"q": "x", "relevant": ["a"]}]', "is no list of lists"),
        ("odd.csv", "a,b\n1,2\n", "cannot tell what odd.csv is"),
        ("bad.csv", "query,docid,rating\nx,d,good\n", "bad.csv:2:1: rating 'good' is not a number"),
        ("twice.csv", "query,docid,rating\nx,d,1\nx,d,2\n", "has ratings 1 and 2"),
        ("rows.csv", "query,have_at_least\nx,many\n", "rows.csv:2:1: 'many' is not a whole number"),
        ("missing.csv", None, "cannot read"),
    ],
)
def test_what_cannot_be_converted_is_named_with_its_place(
    tmp_path: Path, name: str, content: str | None, told: str
) -> None:
    path = tmp_path / name if content is None else written(tmp_path, name, content)

    with pytest.raises(RelevanceError) as caught:
        convert(path)

    assert told in str(caught.value)


def test_a_kind_nobody_knows_is_named_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="did you mean 'nixos'"):
        convert(written(tmp_path, "gold.json", NIXOS), "nixo")


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    converted = convert(written(tmp_path, "ratings.csv", RATINGS))
    write_suite(converted, tmp_path / "out")

    with pytest.raises(DataError, match="is there already"):
        write_suite(converted, tmp_path / "out")


def test_the_command_prints_a_suite_or_writes_a_folder(tmp_path: Path) -> None:
    source = str(written(tmp_path, "gold.json", NIXOS))

    printed = CliRunner().invoke(main, ["convert", source])
    folder = CliRunner().invoke(main, ["convert", source, "--from", "nixos", "-o", str(tmp_path / "out")])

    assert printed.exit_code == folder.exit_code == 0
    assert printed.output.startswith("# Converted from gold.json")
    assert read_suite(tmp_path / "out" / "gold.relevance.yaml").name == "gold"
    assert set(KINDS) == {"rspec", "rank", "nixos", "wikimedia", "ratings"}


words = st.text(
    st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp"), exclude_characters="\ufeff\ufffe\uffff"), min_size=1
)


@given(words, words, st.dictionaries(words, st.floats(0, 5).map(lambda grade: round(grade, 2)), min_size=1, max_size=3))
def test_ids_and_texts_survive_as_they_are(query_id: str, text: str, grades: dict[str, float]) -> None:
    queries = (ConvertedQuery(query_id, text, grades),)
    suite = suite_in(Converted("any", "any.json", queries, (Stated(query_id, ({"first": next(iter(grades))},)),)))

    (query,) = suite.queries if not isinstance(suite.queries, Path) else ()
    (qrels,) = suite.qrels.values()
    assert (query.query_id, query.text) == (query_id, text)
    assert isinstance(qrels, InlineQrels)
    assert qrels.grades == {query_id: grades}
