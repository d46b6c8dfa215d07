from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_relevance.baseline import Baseline, BaselineFolder, Origin, StoredQuery, is_baseline, read_baseline
from pytest_relevance.baseline.names import file_name
from pytest_relevance.errors import DataError, RelevanceError
from pytest_relevance.records import Run, Values

ORIGIN = Origin("shoes", "live", 10, definitions={"nDCG@10": 1}, qrels={"qrels": "ab"}, time="2030-01-01")


def small(rankings: dict[str, dict[str, float]] | None = None, **origin: object) -> Baseline:
    run = Run.from_dict(rankings or {"q1": {"a": 2.5, "b": 1.25}, "q2": {}, "012": {"b": 0.1}}, name="live")
    run = replace(run, fields={"a": {"title": "red shoes", "price": 3}})
    values = Values("nDCG@10", run.query_ids[:2], np.array([1 / 3, 0.0]))
    queries = {query_id: StoredQuery(f"text of {query_id}", "h") for query_id in run.query_ids}
    return Baseline(replace(ORIGIN, **origin), queries, run, {"qrels": {"nDCG@10": values}})  # type: ignore[arg-type] # any field


def same(one: Baseline, other: Baseline) -> bool:
    return (
        one.origin == other.origin
        and dict(one.queries) == dict(other.queries)
        and one.run.to_dict() == other.run.to_dict()
        and one.run.query_ids == other.run.query_ids
        and dict(one.run.fields) == dict(other.run.fields)
        and one.values["qrels"]["nDCG@10"].values == other.values["qrels"]["nDCG@10"].values
    )


@pytest.mark.parametrize("megabytes", [20.0, 0.0])
def test_what_is_stored_is_read_again_in_either_form(tmp_path: Path, megabytes: float) -> None:
    pytest.importorskip("pyarrow")
    folder = BaselineFolder(tmp_path, "shoes")

    assert folder.write(small(), text_megabytes=megabytes) == "new"

    found = folder.find("live")
    assert found is not None
    assert same(found, small())
    assert folder.is_stored("live")
    assert folder.stored() == ("live",)
    (path,) = (tmp_path / "shoes").iterdir()
    assert is_baseline(path)
    assert same(read_baseline(path), small())


def test_scores_and_values_survive_to_the_last_digit(tmp_path: Path) -> None:
    score = 0.1 + 0.2
    folder = BaselineFolder(tmp_path, "shoes")

    folder.write(small({"q1": {"a": score}, "q2": {"b": 1e-300}}))

    found = folder.find("live")
    assert found is not None
    assert found.run.to_dict()["q1"]["a"] == score
    assert found.values["qrels"]["nDCG@10"].values["q1"] == 1 / 3


texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50)
@given(st.dictionaries(texts, st.dictionaries(texts, st.floats(-9, 9), max_size=4), min_size=2, max_size=4))
def test_any_id_survives_both_forms(tmp_path: Path, rankings: dict[str, dict[str, float]]) -> None:
    for megabytes in (20.0, 0.0):
        folder = BaselineFolder(tmp_path, "shoes")
        folder.write(small(rankings), text_megabytes=megabytes)
        found = folder.find("live")
        assert found is not None
        assert found.run.to_dict() == small(rankings).run.to_dict()


def test_what_differs_in_time_and_machine_only_is_not_written_again(tmp_path: Path) -> None:
    folder = BaselineFolder(tmp_path, "shoes")
    folder.write(small())
    before = folder.path("live").read_bytes()

    assert folder.write(small(time="2031-01-01", commit="c", host={"python": "9"})) == "unchanged"
    assert folder.path("live").read_bytes() == before
    assert folder.write(small(depth=11)) == "renewed"


def test_one_form_takes_the_place_of_the_other(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    folder = BaselineFolder(tmp_path, "shoes")
    folder.write(small())
    folder.write(small(depth=11), text_megabytes=0.0)

    assert [path.name for path in (tmp_path / "shoes").iterdir()] == ["live.parquet"]


def test_of_two_forms_the_later_one_counts(tmp_path: Path) -> None:
    """A process was killed after it wrote the new form and before it removed the old one."""
    pytest.importorskip("pyarrow")
    folder = BaselineFolder(tmp_path, "shoes")
    folder.write(small(time="2030-01-01"))
    old = folder.path("live").read_bytes()
    folder.write(small(time="2031-01-01", depth=11), text_megabytes=0.0)
    folder.path("live").write_bytes(old)

    found = folder.find("live")

    assert found is not None
    assert found.origin.depth == 11


def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path: Path) -> None:
    folder = BaselineFolder(tmp_path, "shoes")
    folder.write(small())
    (tmp_path / "shoes" / "live.jsonl.x1y2z3").write_text("half")
    folder.write(small(depth=11))

    assert [path.name for path in (tmp_path / "shoes").iterdir()] == ["live.jsonl"]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text.replace('"relevance_baseline":1', '"relevance_baseline":2'),
        lambda text: text[:0],
        lambda text: f"{text[:0]}q1 Q0 d1 1 2.0 t\n",
        lambda text: text.replace('"ranking"', '"rankings"'),
        lambda text: text.replace('["a",2.5]', '["b",2.5]'),
    ],
)
def test_a_file_that_is_no_baseline_is_refused_with_a_fix(tmp_path: Path, spoil: Callable[[str], str]) -> None:
    folder = BaselineFolder(tmp_path, "shoes")
    folder.write(small())
    path = folder.path("live")
    path.write_text(spoil(path.read_text(encoding="utf-8")), encoding="utf-8")

    with pytest.raises(DataError, match="is not a baseline") as caught:
        folder.find("live")

    assert "restore it from version control" in str(caught.value)


def test_a_missing_baseline_names_the_nearest_one(tmp_path: Path) -> None:
    folder = BaselineFolder(tmp_path, "shoes")
    folder.write(small())

    with pytest.raises(RelevanceError) as caught:
        folder.get("lvie", "the command")

    assert "lvie.jsonl does not exist" in caught.value.problem
    assert caught.value.fix == "there is one named 'live'; write it: the command"


def test_names_of_files_differ_on_systems_that_know_one_letter_case() -> None:
    names = [
        "live",
        "Live",
        "LIVE",
        "a/b",
        "a\\b",
        "con",
        "nul.txt",
        "..",
        ".",
        "",
        "x" * 300,
        "schuhe größe",
        "靴",
        "a.",
        "-",
    ]

    files = [file_name(name) for name in names]

    assert len({file.casefold() for file in files}) == len(names)
    assert all(len(file) < 120 and not set(file) & set('/\\:*?"<>| ') for file in files)
    assert all(not file.startswith(".") and not file.endswith(".") for file in files)
    assert file_name("live_2.1-rc") == "live_2.1-rc"


def test_keys_stand_in_one_order_so_that_diffs_are_small(tmp_path: Path) -> None:
    folder = BaselineFolder(tmp_path, "shoes")
    folder.write(small())
    lines = [json.loads(line) for line in folder.path("live").read_text(encoding="utf-8").splitlines()]

    assert list(lines[0])[:4] == ["relevance_baseline", "suite", "retriever", "depth"]
    assert list(lines[1]) == ["query_id", "query", "hash", "values", "ranking"]
    assert lines[-1] == {"doc_id": "a", "fields": {"title": "red shoes", "price": 3}}
