from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from encoder_stand_in import WIDTH, filled, vector_of, whole
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.errors import RetrieverError
from pytest_relevance.retrievers.dense import list_store, prune_store
from pytest_relevance.retrievers.dense.store import VectorStore, key_of, open_store

ROOT = Path(__file__).resolve().parents[4]
TEXTS = [f"text {number}" for number in range(40)]


def test_a_second_run_encodes_nothing(tmp_path: Path) -> None:
    first, vectors = filled(tmp_path, TEXTS)
    second, again = filled(tmp_path, TEXTS)

    assert sorted(first.encoded) == sorted(TEXTS)
    assert second.encoded == []
    assert np.array_equal(vectors, again)


def test_only_what_changed_is_encoded(tmp_path: Path) -> None:
    filled(tmp_path, [f"text {number}" for number in range(1000)])
    changed = [f"text {number}" if number % 100 else f"another text {number}" for number in range(1000)]

    second, vectors = filled(tmp_path, changed)

    assert sorted(second.encoded) == sorted(f"another text {number}" for number in range(0, 1000, 100))
    assert vectors == pytest.approx(np.array([vector_of(text) for text in changed]), abs=1e-4)


def test_a_text_that_stands_twice_is_encoded_once(tmp_path: Path) -> None:
    encoder, vectors = filled(tmp_path, ["a", "b", "a", "a"])

    assert sorted(encoder.encoded) == ["a", "b"]
    assert np.array_equal(vectors[0], vectors[3])


def test_a_text_of_blanks_is_not_encoded(tmp_path: Path) -> None:
    encoder, _ = filled(tmp_path, ["a", "", " \n\t"])

    assert encoder.encoded == ["a"]


@given(st.lists(st.text(), min_size=2, max_size=4), st.lists(st.text(), min_size=2, max_size=4))
def test_keys_tell_apart_what_reads_alike_end_to_end(one: list[str], other: list[str]) -> None:
    assert (key_of(*one) == key_of(*other)) == (one == other)


@pytest.mark.parametrize("harm", ["rows cut", "rows flipped", "journal cut", "journal flipped", "rows gone"])
def test_what_was_damaged_is_encoded_again(harm: str, tmp_path: Path) -> None:
    _, vectors = filled(tmp_path, TEXTS)
    what, _, how = harm.partition(" ")
    damage(tmp_path / what, how)

    encoder, again = filled(tmp_path, TEXTS)

    assert 0 < len(encoder.encoded) <= len(TEXTS)
    assert again == pytest.approx(vectors, abs=1e-4)
    assert filled(tmp_path, TEXTS)[0].encoded == []


def damage(file: Path, how: str) -> None:
    content = file.read_bytes()
    if how == "flipped":
        content = content[:-1] + bytes([content[-1] ^ 1])
    file.write_bytes({"cut": content[:-1], "gone": b""}.get(how, content))


@pytest.mark.parametrize("point", range(20))
def test_an_encoding_that_was_killed_goes_on_to_the_same_vectors(point: int, tmp_path: Path) -> None:
    _, expected = filled(tmp_path / "never killed", TEXTS)
    at = np.random.default_rng(point).integers(0, 2000)

    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "killed"), str(at)], cwd=ROOT, check=False)
    encoder, vectors = filled(tmp_path / "killed", TEXTS)

    assert killed.returncode == -9
    assert np.array_equal(vectors, expected)
    assert len(encoder.encoded) % 32 in (0, 8)  # whole pieces of 8 batches of 4 are kept, 40 texts make two


# The process kills itself with the signal that nobody can catch, after so many bytes were written to either file.
KILLED = """
import os, signal, sys
sys.path[:0] = ["tests/helpers", "."]
from pathlib import Path
from pytest_relevance.retrievers.dense import store
from encoder_stand_in import filled

left = int(sys.argv[2])

def write_at(file, position, content):
    global left
    file.seek(position)
    file.write(content[:left])
    left -= len(content)
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    file.truncate()

store._write_at = write_at
filled(Path(sys.argv[1]), [f"text {number}" for number in range(40)])
"""


def test_two_processes_at_once_encode_each_text_once(tmp_path: Path) -> None:
    program = [sys.executable, "tests/helpers/encoder_stand_in.py", str(tmp_path / "shared"), "3000"]
    both = [subprocess.Popen(program, cwd=ROOT, env={"PYTHONPATH": str(ROOT)}) for _ in range(2)]
    assert [one.wait(timeout=120) for one in both] == [0, 0]

    store = VectorStore(tmp_path / "shared", {}, "float32")

    assert len(store) == 3000
    assert len(np.unique(store.find(np.frombuffer(keys(3000), dtype="<u8").reshape(-1, 2)))) == 3000
    store.close()


def keys(count: int) -> bytes:
    return b"".join(key_of("document", "document: ", f"text {number}") for number in range(count))


def test_what_others_commit_is_seen_when_writing_begins(tmp_path: Path) -> None:
    here = VectorStore(tmp_path, {}, "float32")
    filled(tmp_path, TEXTS)

    with here.writing():
        assert len(here) == len(TEXTS)
    here.close()


def test_a_dimension_that_changed_under_the_store_is_an_error(tmp_path: Path) -> None:
    filled(tmp_path, TEXTS)

    with pytest.raises(RetrieverError, match=f"have {WIDTH} numbers, and the model now gives 12") as caught:
        open_store(tmp_path, {}, "float32", width=12)

    assert "delete that folder" in str(caught.value)


def test_rows_of_any_length_are_given_back_as_they_were(tmp_path: Path) -> None:
    store = VectorStore(tmp_path, {}, "float16")
    rows = [np.arange(length, dtype=np.float16) for length in (3, 0, 5)]
    with store.writing():
        store.append([key_of(str(place)) for place in range(3)], rows, np.array([True, False, True]))

    back = store.pieces(np.array([2, 0, 1]))

    assert [piece.tolist() for piece in back] == [[0, 1, 2, 3, 4], [0, 1, 2], []]
    assert store.cut(np.array([0, 1, 2])).tolist() == [True, False, True]
    store.close()


def test_a_store_is_listed_with_its_size_and_pruned_by_age_and_by_room(tmp_path: Path) -> None:
    for name, count in (("small", 10), ("large", 40)):
        filled(tmp_path / "vectors" / name, [f"text {number}" for number in range(count)])

    listed = list_store(tmp_path)

    assert [one.path.name for one in listed] == ["large", "small"]
    assert listed[0].size > 40 * WIDTH * 4
    assert listed[0].what == "letters (unknown)"
    assert prune_store(tmp_path, unused_days=1) == ()
    assert [one.path.name for one in prune_store(tmp_path, keep_bytes=listed[0].size)] == ["small"]
    assert prune_store(tmp_path, unused_days=0) != ()
    assert list_store(tmp_path) == ()


def test_a_pruned_store_stays_with_who_has_it_open(tmp_path: Path) -> None:
    filled(tmp_path / "vectors" / "one", TEXTS)
    store = VectorStore(tmp_path / "vectors" / "one", {}, "float32")

    prune_store(tmp_path, model="letters")

    assert list_store(tmp_path) == ()
    assert whole(store).shape == (len(TEXTS) * WIDTH,)
    store.close()


def test_there_is_nothing_in_a_cache_that_is_not_there(tmp_path: Path) -> None:
    assert list_store(tmp_path / "none") == ()
    assert prune_store(tmp_path / "none", unused_days=0) == ()
