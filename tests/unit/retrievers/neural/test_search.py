from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from retriever_stand_ins import entry

from pytest_relevance.errors import RetrieverError
from pytest_relevance.retrievers.dense.best import Best
from pytest_relevance.retrievers.dense.index import approximate, kept_index, recall_of
from pytest_relevance.retrievers.dense.options import DenseOptions, Similarity
from pytest_relevance.retrievers.dense.rankings import documents_of
from pytest_relevance.retrievers.dense.search import Space, exact
from pytest_relevance.retrievers.dense.store import VectorStore, key_of

Matrix = npt.NDArray[np.float32]

AXES = np.array([[1, 0], [0, 2], [3, 4], [0, 0]], dtype=np.float32)  # the last is of length 0


pytestmark = pytest.mark.usefixtures("faiss")


class SpaceOf(Protocol):
    def __call__(self, vectors: Matrix, similarity: Similarity = "cosine", **more: Any) -> Space: ...


@pytest.fixture(scope="module")
def space_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SpaceOf]:
    """Makes the space of some vectors."""
    with ExitStack() as opened:

        def make(vectors: Matrix, similarity: Similarity = "cosine", **more: Any) -> Space:
            store = VectorStore(tmp_path_factory.mktemp("store"), {}, "float32")
            opened.callback(store.close)
            with store.writing():
                keys = [key_of(str(number)) for number in range(len(vectors))]
                store.append(keys, list(vectors), np.zeros(len(vectors), dtype=np.bool_))
            return Space(store, np.arange(len(vectors)), vectors.shape[1], similarity, **more)

        yield make


@pytest.mark.parametrize(
    ("similarity", "scores"),
    [
        ("cosine", {2: 0.8, 1: 1.0, 0: 0.0, 3: 0.0}),
        ("dot", {2: 4.0, 1: 2.0, 0: 0.0, 3: 0.0}),
        ("euclidean", {1: -1.0, 2: -(18**0.5), 0: -(2**0.5), 3: -1.0}),
        ("manhattan", {1: -1.0, 2: -6.0, 0: -2.0, 3: -1.0}),
    ],
)
def test_each_similarity_is_what_its_name_says(similarity: str, scores: dict[int, float], space_of: SpaceOf) -> None:
    space = space_of(AXES, cast("Similarity", similarity))

    found = exact(space, np.array([[0, 1]], dtype=np.float32), 4)

    got = dict(zip(found.places[0].tolist(), found.scores[0].tolist(), strict=True))
    assert got == pytest.approx(scores, abs=1e-6)
    assert found.scores[0].tolist() == sorted(found.scores[0].tolist(), reverse=True)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 10**6), depth=st.integers(1, 12), tile=st.sampled_from([1, 64, 1 << 20]))
def test_tiles_change_nothing_and_ties_at_the_cut_are_all_kept(
    seed: int, depth: int, tile: int, space_of: SpaceOf
) -> None:
    random = np.random.default_rng(seed)
    vectors = random.integers(-1, 2, (30, 4)).astype(np.float32)  # so few values that scores are often equal
    queries = random.integers(-1, 2, (5, 4)).astype(np.float32)
    space = space_of(vectors, "dot", tile_bytes=tile)

    found = exact(space, queries, depth)

    scores = queries @ vectors.T
    for query in range(5):
        least = np.sort(scores[query])[-depth]
        kept = (found.places[query] >= 0) & (found.scores[query] >= least)
        assert set(found.places[query][kept].tolist()) == set(np.flatnonzero(scores[query] >= least).tolist())


def test_no_documents_and_no_queries_are_no_answers(space_of: SpaceOf) -> None:
    nothing = space_of(np.zeros((0, 2), dtype=np.float32))
    some = space_of(AXES)

    assert exact(nothing, AXES, 3).places.shape == (4, 0)
    assert exact(some, np.zeros((0, 2), dtype=np.float32), 3).places.shape == (0, 0)


@given(seed=st.integers(0, 10**6), depth=st.integers(1, 6))
def test_best_keeps_what_one_look_at_everything_would(seed: int, depth: int) -> None:
    scores = np.random.default_rng(seed).integers(0, 4, (3, 20)).astype(np.float32)
    best = Best(3, depth)
    for first in (0, 7, 14):
        best.add(first, scores[:, first : first + 7])

    for query in range(3):
        least = np.sort(scores[query])[-depth]
        assert set(best.places[query][best.places[query] >= 0].tolist()) == set(
            np.flatnonzero(scores[query] >= least).tolist()
        )


def test_a_row_stands_for_every_document_that_has_its_text() -> None:
    spread, documents = documents_of(np.array([5, 3]), np.array([3, 5, -1, 5]))

    assert sorted(zip(spread.tolist(), documents.tolist(), strict=True)) == [(0, 1), (0, 3), (1, 0)]


@pytest.mark.parametrize("index", ["ivf", "hnsw", "pq", "int8", "binary"])
def test_an_index_gives_exact_scores_and_tells_what_it_misses(index: str, space_of: SpaceOf, tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    space = space_of(random.normal(size=(400, 16)).astype(np.float32))
    queries = random.normal(size=(10, 16)).astype(np.float32)
    options = DenseOptions.model_validate({"model": "m", "index": index} | ({"code_bytes": 4} if index == "pq" else {}))
    made = kept_index(tmp_path, entry("dense"), options, space, "texts")

    found = approximate(made, space, queries, 10, options)
    share, count = recall_of(made, space, queries, 10, options)

    right = exact(space, queries, 400)
    for query in range(10):
        expected = dict(zip(right.places[query].tolist(), right.scores[query].tolist(), strict=True))
        assert {place: expected[place] for place in found.places[query].tolist() if place >= 0} == pytest.approx(
            dict(zip(found.places[query].tolist(), found.scores[query].tolist(), strict=True)), abs=1e-6
        )
    hits = sum(len(set(found.places[query, :10]) & set(right.places[query, :10])) for query in range(10))
    assert share == pytest.approx(hits / 100)
    assert 0.3 < share <= 1
    assert count == 10


@pytest.mark.parametrize("options", [{"index": "ivf", "lists": 8}, {"index": "pq", "code_bytes": 4}])
def test_nothing_is_printed_where_there_is_little_to_learn_from(
    options: dict[str, object], space_of: SpaceOf, capfd: pytest.CaptureFixture[str]
) -> None:
    space = space_of(np.random.default_rng(1).normal(size=(50, 8)).astype(np.float32))

    kept_index(None, entry("dense"), DenseOptions.model_validate({"model": "m", **options}), space, "texts")

    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("harm", ["none", "cut", "gone"])
def test_an_index_is_kept_and_made_anew_where_it_was_damaged(harm: str, space_of: SpaceOf, tmp_path: Path) -> None:
    space = space_of(np.random.default_rng(1).normal(size=(50, 8)).astype(np.float32))
    options = DenseOptions(model="m", index="int8")
    kept_index(tmp_path, entry("dense"), options, space, "texts")
    (file,) = (tmp_path / "indexes").glob("*.faiss")
    made = file.stat().st_mtime_ns
    if harm == "cut":
        file.write_bytes(file.read_bytes()[:-5])
    if harm == "gone":
        file.unlink()

    again = kept_index(tmp_path, entry("dense"), options, space, "texts")

    assert again.ntotal == 50
    assert (file.stat().st_mtime_ns == made) == (harm == "none")


def test_numbers_that_faiss_cannot_use_are_an_error_with_a_fix(space_of: SpaceOf) -> None:
    space = space_of(np.random.default_rng(1).normal(size=(50, 8)).astype(np.float32))

    with pytest.raises(RetrieverError, match="cannot make an index 'pq'") as caught:
        kept_index(None, entry("dense"), DenseOptions(model="m", index="pq", code_bytes=7), space, "texts")

    assert caught.value.place is not None
