from __future__ import annotations

import random
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_relevance.errors import DataError
from pytest_relevance.records import Run
from pytest_relevance.runs import load_run, save_run
from pytest_relevance.runs.store import write_whole

law = settings(deadline=None)  # a slow machine breaks no law

texts = st.text(st.characters(exclude_categories=()), max_size=8)  # half surrogates included
scores = st.floats(allow_nan=False)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)


def everything(run: Run) -> tuple[object, ...]:
    """All that a run says, in comparable form."""
    return (run.query_ids, run.to_dict(), run.name, dict(run.failures), dict(run.fields), run.notes)


@law
@given(
    rankings=st.dictionaries(texts, st.dictionaries(texts, scores, max_size=5), max_size=5),
    name=texts,
    failures=st.dictionaries(texts, texts, max_size=3),
    fields=st.dictionaries(texts, st.dictionaries(texts, values, max_size=3), max_size=3),
    notes=st.lists(texts, max_size=3),
)
def test_a_run_comes_back_as_it_was_written(
    rankings: dict[str, dict[str, float]],
    name: str,
    failures: dict[str, str],
    fields: dict[str, dict[str, object]],
    notes: list[str],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    made = Run.from_dict(rankings, name=name)
    parts = (made.query_ids, made.offsets, made.doc_ids, made.codes, made.scores, name)
    run = Run(*parts, failures=failures, fields=fields, notes=tuple(notes))
    path = tmp_path_factory.mktemp("run") / "file.run"

    save_run(run, path)

    assert everything(load_run(path)) == everything(run)


def test_the_order_of_a_service_survives(tmp_path: Path) -> None:
    run = Run.from_rankings({"q1": ["b", "a", "c"]})

    save_run(run, tmp_path / "file.run")

    assert load_run(tmp_path / "file.run").ranking("q1") == ("b", "a", "c")


def test_a_row_takes_twelve_bytes_on_disk(tmp_path: Path) -> None:
    run = Run.from_dict({f"q{query}": {f"d{place}": float(place) for place in range(1000)} for query in range(100)})

    save_run(run, tmp_path / "file.run")

    assert (tmp_path / "file.run").stat().st_size / len(run.codes) < 12.5  # 4 for the document, 8 for the score


@pytest.mark.parametrize("harm", ["cut", "flipped"])
def test_a_damaged_file_is_an_error_of_ours_wherever_the_damage_is(harm: str, tmp_path: Path) -> None:
    path = tmp_path / "file.run"
    run = Run.from_dict({"q1": {"d1": 2.0, "d2": 1.0}, "q2": {}})
    save_run(run, path)
    content = path.read_bytes()
    places = random.Random(5).sample(range(len(content)), 300)

    for place in places:
        flipped = content[:place] + bytes([content[place] ^ 0x21]) + content[place + 1 :]
        path.write_bytes(content[:place] if harm == "cut" else flipped)
        # A flipped bit may stand in a part of the archive that says nothing, such as a date.
        with suppress(DataError):
            assert everything(load_run(path)) == everything(run)


@pytest.mark.parametrize("content", [b"", b"q1 Q0 d1 1 2.0 tag\n", b"PK\x03\x04"])
def test_another_file_is_no_run(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "file.run").write_bytes(content)

    with pytest.raises(DataError, match="is not a run as this version stores it"):
        load_run(tmp_path / "file.run")


def test_an_array_alone_is_no_run(tmp_path: Path) -> None:
    with (tmp_path / "file.run").open("wb") as file:
        np.save(file, np.zeros(3))

    with pytest.raises(DataError):
        load_run(tmp_path / "file.run")


def test_a_file_that_is_not_there_is_told_apart_from_a_damaged_one(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_run(tmp_path / "file.run")


def test_a_writer_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "file.run"
    path.write_bytes(b"old")

    def fails(file: object) -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_whole(path, fails)

    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("file.run", b"old")]
