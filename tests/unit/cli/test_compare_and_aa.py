from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pytest_relevance.cli import main
from pytest_relevance.errors import DataError
from pytest_relevance.evaluate.pairwise import compare
from pytest_relevance.measures import parse_measure
from pytest_relevance.records import Qrels, Run

QUERIES = [f"q{place}" for place in range(12)]
QRELS = {query_id: {"a": 1.0, "b": 0.0} for query_id in QUERIES}
Called = Callable[..., Result]
_numbers = count()


@pytest.fixture
def called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Called:
    """Runs a command in a folder with good.run, bad.run and qrels.txt."""
    monkeypatch.chdir(tmp_path)
    for name, ranking in (("good", "ab"), ("bad", "ba")):
        rows = [
            f"{query_id} Q0 {ranking[place]} {place + 1} {9 - place} t\n" for query_id in QUERIES for place in (0, 1)
        ]
        Path(f"{name}.run").write_text("".join(rows), encoding="utf-8")
    Path("qrels.txt").write_text(
        "".join(f"{query_id} 0 a 1\n{query_id} 0 b 0\n" for query_id in QUERIES), encoding="utf-8"
    )
    return lambda *arguments: CliRunner().invoke(main, arguments, catch_exceptions=False)


def test_a_fall_shown_ends_with_1_only_where_asked(called: Called) -> None:
    """RR goes from 1 to 1/2 for each of twelve queries."""
    plain = called("compare", "good.run", "bad.run", "--qrels", "qrels.txt", "-m", "RR@10")

    assert plain.exit_code == 0
    assert "RR@10 of bad.run is 0.500, -0.500, and noise does not explain it" in plain.output
    assert "100% of the 12 queries have another first ten than in good.run" in plain.output
    assert called("compare", "good.run", "bad.run", "--qrels", "qrels.txt", "-m", "RR@10", "--fail").exit_code == 1
    assert called("compare", "bad.run", "good.run", "--qrels", "qrels.txt", "-m", "RR@10", "--fail").exit_code == 0
    assert called("compare", "good.run", "none.run").exit_code == 2


@pytest.mark.parametrize("option", [("--fail",), ("-m", "RR@10")])
def test_what_needs_judgments_is_refused_without(called: Called, option: tuple[str, ...]) -> None:
    """A gate that can never fall would pass for ever."""
    result = called("compare", "good.run", "bad.run", *option)

    assert result.exit_code == 2
    assert "needs judgments, and there are none\n  fix: name them: --qrels FILE" in result.output


def test_json_has_full_precision_and_a_schema(called: Called) -> None:
    found = json.loads(called("compare", "good.run", "bad.run", "--qrels", "qrels.txt", "-m", "RR@10", "--json").output)

    assert (found["schema"], found["queries"], found["overlaps"]["Changed@10"]) == (1, 12, 1.0)
    (measure,) = found["measures"]
    assert (measure["difference"], measure["worse"], measure["p_randomisation"]) == (-0.5, 12, pytest.approx(2 / 4096))
    assert len(found["movers"]) == 5


def test_markdown_and_rankings_side_by_side(called: Called) -> None:
    page = called("compare", "good.run", "bad.run", "--markdown").output
    judged = called("compare", "good.run", "bad.run", "--qrels", "qrels.txt", "-m", "RR@10", "--markdown").output

    assert page.startswith("## good.run and bad.run\n")
    assert "1  a         2        b    2" in page
    assert "1  a         1      2        b    0      2" in judged
    assert page.count("<details>") == 3
    assert called("compare", "good.run", "bad.run", "--markdown", "--movers", "1").output.count("<details>") == 1


def test_a_page_tells_what_is_in_one_run_only_and_marks_nothing_up(called: Called) -> None:
    lines = Path("good.run").read_text(encoding="utf-8").splitlines(keepends=True)
    Path("less_*is*_less.run").write_text("".join(lines[2:]), encoding="utf-8")

    page = called("compare", "good.run", "less_*is*_less.run", "--markdown").output

    assert page.startswith("## good.run and less\\_\\*is\\*\\_less.run\n")
    assert "- only in good.run: 1 query (q0)\n" in page


def test_only_shared_queries_are_compared_and_the_others_told() -> None:
    old = Run.from_dict({"q1": {"a": 1.0}, "q2": {"a": 1.0}}, name="old")
    new = Run.from_dict({"q2": {"a": 1.0}, "q3": {"a": 1.0}}, name="new")

    found = compare(old, new, Qrels.from_dict({"q2": {"a": 1.0}}), ["RR"])

    assert (found.queries, found.only) == (1, (("q1",), ("q3",)))
    with pytest.raises(DataError, match="no query in common"):
        compare(old.restricted_to(["q1"]), new)


def test_slices_have_lines_of_their_own() -> None:
    qrels = Qrels.from_dict(QRELS)
    old = Run.from_rankings({query_id: ["a", "b"] for query_id in QUERIES})
    new = Run.from_rankings({query_id: ["a", "b"] if query_id < "q2" else ["b", "a"] for query_id in QUERIES})

    found = compare(old, new, qrels, ["RR"], slices={"half=first": ["q0", "q1"], "half=none": []})

    assert {(one.slice, one.comparison.queries) for one in found.differences} == {("", 12), ("half=first", 2)}


def test_what_moved_follows_the_direction_of_the_measure() -> None:
    """RR of q1 fell from 1 to 1/2, and that of q2 rose: the loss is q1, and q2 where less is better."""
    qrels = Qrels.from_dict({"q1": {"a": 1.0}, "q2": {"a": 1.0}})
    old = Run.from_rankings({"q1": ["a", "b"], "q2": ["b", "a"]}, name="old")
    new = Run.from_rankings({"q1": ["b", "a"], "q2": ["a", "b"]}, name="new")
    measure = parse_measure("RR")

    more, less = (compare(old, new, qrels, [replace(measure, higher_is_better=one)]) for one in (True, False))

    assert [(one.query_id, one.old, one.new) for one in more.movers] == [("q1", 1.0, 0.5)]
    assert [(one.query_id, one.old, one.new) for one in less.movers] == [("q2", 0.5, 1.0)]


def suite(bound: str, search: str = "return ['a', 'b']") -> None:
    module = f"finding_{next(_numbers)}"  # a module of one name is imported once
    Path(f"{module}.py").write_text(
        f"import itertools\ncount = itertools.count()\ndef search(query, depth):\n    {search}\n"
    )
    Path("queries.tsv").write_text("".join(f"{query_id}\tfind {query_id}\n" for query_id in QUERIES))
    Path("s.relevance.yaml").write_text(
        "queries: queries.tsv\nqrels: qrels.txt\n"
        f"retrievers: {{live: {{type: function, function: '{module}:search'}}}}\n"
        f"checks: [{{measure: RR@10, of: live, {bound}}}]\n"
    )


def test_a_steady_gate_never_flips(called: Called) -> None:
    suite("at_least: 0.9")

    result = called("aa", "s.relevance.yaml", "-n", "2")

    assert result.exit_code == 0
    assert "resampled queries     400   0.0%" in result.output
    assert "live  1.000" in result.output


def test_a_retriever_that_changes_its_mind_is_measured_and_its_gate_called_out(called: Called) -> None:
    """Of the first two answers one has the relevant document first, in turns: no rerun is like the one before."""
    suite("at_least: 0.74", "return ['a', 'b'] if next(count) % 24 < 13 else ['b', 'a']")

    result = called("aa", "s.relevance.yaml", "-n", "4", "--json")

    found = json.loads(result.output)
    (gate,) = found["gates"]
    assert found["likeness"]["live"] < 1
    assert (gate["how"], gate["trials"]) == ("reruns", 3)
    assert result.exit_code == int(gate["rate"] > 0.05)


def test_a_threshold_at_the_mean_itself_flips_and_a_lower_one_is_named(called: Called) -> None:
    """Half of the queries have 1, half 1/2: resampled means lie on either side of their mean, 0.75."""
    suite("at_least: 0.75", "return ['a', 'b'] if int(query.query_id[1:]) % 2 else ['b', 'a']")

    result = called("aa", "s.relevance.yaml", "-n", "2")

    assert result.exit_code == 1
    assert "at_least: 0.75 is too tight; 0.6" in result.output


def test_ranks_that_nothing_looks_at_change_nothing() -> None:
    """Lists of 300: what is cut for speed leaves every value, and where a document went, as they are."""
    deep = [f"d{place}" for place in range(300)]
    old = Run.from_rankings(dict.fromkeys(QUERIES, deep), name="old")
    new = Run.from_rankings({query_id: ["x", *deep[1:], "d0"] for query_id in QUERIES}, name="new")
    qrels = Qrels.from_dict({query_id: {"d0": 1.0, "d250": 1.0} for query_id in QUERIES})

    cut, whole = compare(old, new, qrels, ["R@100"]), compare(old, new, qrels, ["R@100", "AP"])

    assert cut.differences[0].comparison == whole.differences[0].comparison
    assert cut.overlaps == whole.overlaps
    assert cut.differences[0].comparison.difference == pytest.approx(-0.5)
    assert cut.movers[0].moves[0].to == 301
