from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from retriever_stand_ins import PLACE, corpus_context, entry, retrieve

from pytest_relevance.errors import RetrieverError, SuiteError
from pytest_relevance.records import Queries, Query, Run
from pytest_relevance.retrievers import (
    BUILTIN,
    Hit,
    Opened,
    Ranked,
    Retriever,
    RetrieverContext,
    build,
    depends_on,
    fingerprint,
    in_order,
)
from pytest_relevance.retrievers.kinds import LazyKinds
from pytest_relevance.runs import retrieve_run
from pytest_relevance.suite import RetrieverConfig


def fused(name: str, *of: str) -> RetrieverConfig:
    return entry("fuse", {"of": list(of)}, name=name)


def configs(*entries: RetrieverConfig) -> dict[str, RetrieverConfig]:
    return {one.name: one for one in entries}


BM25 = entry("bm25", name="bm25")


def test_the_four_kinds_of_this_package_are_there_by_name() -> None:
    assert {"bm25", "run", "function", "fuse"} <= set(BUILTIN)
    assert all(callable(BUILTIN[name]) for name in ("bm25", "run", "function", "fuse"))


def test_naming_the_kinds_imports_no_library_of_theirs() -> None:
    code = (
        "import sys, pytest_relevance.retrievers as r; list(r.BUILTIN); print({'bm25s', 'filelock'} & {*sys.modules})"
    )

    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert printed.strip() == "set()"


def test_an_unknown_type_is_named_with_the_nearest_and_all_that_are_known() -> None:
    with pytest.raises(SuiteError, match="unknown type 'bm52' of retriever 'tried'") as caught:
        build(entry("bm52"), RetrieverContext(Path()))

    assert caught.value.place == PLACE
    assert (caught.value.fix or "").startswith("did you mean 'bm25'? known types: bm25, ")


def test_a_missing_library_is_named_at_the_retriever() -> None:
    kinds = LazyKinds({"odd": "not_to_be_found_anywhere.kind:odd"})

    with pytest.raises(RetrieverError, match="needs the package 'not_to_be_found_anywhere'") as caught:
        build(entry("odd"), RetrieverContext(Path()), kinds)

    assert caught.value.place == PLACE


@pytest.mark.parametrize(
    ("kind", "library", "fix"),
    [
        ("static", "sentence_transformers", "pip install 'pytest-relevance[static]'"),
        ("dense", "faiss", "pip install 'pytest-relevance[dense]'"),
        ("rerank", "sentence_transformers", "pip install 'pytest-relevance[dense]'"),
        ("sql", "psycopg", "install psycopg into the environment that runs this"),
    ],
)
def test_a_missing_library_comes_with_the_extra_that_brings_all_a_kind_needs(kind: str, library: str, fix: str) -> None:
    def lacking(config: Any, context: RetrieverContext) -> Retriever:
        raise ModuleNotFoundError(name=library)

    with pytest.raises(RetrieverError) as caught:
        build(entry(kind), RetrieverContext(Path()), {kind: lacking})

    assert caught.value.fix == fix


class Reversed(Opened):
    """A third party's retriever: the letters of the query, last first."""

    def retrieve(self, queries: Sequence[Query], *, depth: int) -> Iterator[Ranked]:  # noqa: ARG002 - the protocol's
        return (Ranked(query.query_id, [Hit(sign) for sign in query.text[::-1]], order="given") for query in queries)


def reversed_letters(config: Any, context: RetrieverContext) -> Retriever:
    return Reversed()


def test_a_plain_function_is_a_kind() -> None:
    kinds = {"reversed": reversed_letters}
    retriever = build(entry("reversed"), RetrieverContext(Path()), kinds)

    assert retrieve_run(retriever, [Query("q1", "abc")], depth=2).ranking("q1") == ("c", "b")
    assert depends_on(entry("reversed"), kinds) == ()
    assert fingerprint({"x": entry("reversed")}, "x", RetrieverContext(Path()), kinds) is None


def test_retrievers_come_after_those_they_depend_on_and_once() -> None:
    known = configs(fused("all", "some", "bm25"), fused("some", "bm25", "other"), BM25, entry("bm25", name="other"))

    assert in_order(known, ["all", "bm25"]) == ("bm25", "other", "some", "all")


@pytest.mark.parametrize(
    ("entries", "circle"),
    [
        ([fused("a", "a", "bm25")], "a → a"),
        ([fused("a", "bm25", "b"), fused("b", "a", "bm25")], "a → b → a"),
        ([fused("a", "bm25", "b"), fused("b", "c", "bm25"), fused("c", "bm25", "b")], "b → c → b"),
    ],
)
def test_a_circle_is_named_at_a_retriever_in_it(entries: list[RetrieverConfig], circle: str) -> None:
    with pytest.raises(SuiteError, match=f"depends on itself: {circle}\n") as caught:
        in_order(configs(BM25, *entries), ["a"])

    assert caught.value.place == PLACE


def test_a_part_that_is_not_there_is_named_with_the_nearest() -> None:
    with pytest.raises(SuiteError, match="unknown retriever 'bm52'") as caught:
        in_order(configs(BM25, fused("a", "bm52", "bm25")), ["a"])

    assert caught.value.place == PLACE
    assert caught.value.fix == "did you mean 'bm25'? retrievers: bm25, a"


def test_a_fingerprint_is_of_the_corpus_the_options_and_the_parts() -> None:
    def told(texts: Mapping[str, str], k1: float, k: int) -> str | None:
        parts = [entry("bm25", {"k1": k1}, name="a"), entry("bm25", name="b")]
        fusion = entry("fuse", {"of": ["a", "b"], "k": k}, name="c")
        return fingerprint(configs(*parts, fusion), "c", corpus_context(texts))

    same = told({"d1": "red"}, 1.2, 60)

    assert same is not None
    assert told({"d1": "red"}, 1.2, 60) == same
    assert len({same, told({"d1": "green"}, 1.2, 60), told({"d1": "red"}, 1.3, 60), told({"d1": "red"}, 1.2, 61)}) == 4


def parts_of(runs: Mapping[str, Run], asked: list[tuple[str, int]]) -> RetrieverContext:
    """A context that gives these runs, and notes who is asked for."""

    def run_of(name: str, queries: Sequence[Query], depth: int) -> Run:
        asked.append((name, depth))
        return runs[name]

    return RetrieverContext(Path(), run_of=run_of)


def test_a_fusion_asks_for_the_runs_of_its_parts_and_answers_the_queries_of_the_suite() -> None:
    asked: list[tuple[str, int]] = []
    runs = {"a": Run.from_dict({"q2": {"d1": 2, "d2": 1}}), "b": Run.from_dict({"q1": {"d3": 1}, "other": {"d1": 1}})}

    run = retrieve(fused("mixed", "a", "b"), {"q1": "", "q2": "", "q3": ""}, parts_of(runs, asked), depth=5)

    assert asked == [("a", 5), ("b", 5)]
    assert run.query_ids == ("q1", "q2", "q3")
    assert (run.ranking("q1"), run.ranking("q2"), run.ranking("q3")) == (("d3",), ("d1", "d2"), ())
    assert run.name == "mixed"


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"of": ["a"]}, "needs at least 2 items"),
        ({"of": ["a", "a"]}, "stands twice"),
        ({"of": ["a", "b"], "weights": [1]}, "1 weights for 2 retrievers"),
        ({"of": ["a", "b"], "weights": [1, 0]}, "must be above 0"),
        ({"of": ["a", "b"], "method": "weighted"}, "needs weights"),
        ({"of": ["a", "b"], "normalise": "z"}, "looks at ranks only"),
        ({"of": ["a", "b"], "method": "comb_sum", "k": 60}, "'k' belongs to method 'rrf'"),
        ({"of": ["a", "b"], "method": "rff"}, "rrf"),
    ],
)
def test_options_of_a_fusion_that_do_not_fit_are_refused(options: Mapping[str, object], reason: str) -> None:
    with pytest.raises(SuiteError, match=reason):
        build(entry("fuse", options), parts_of({}, []))


def test_a_fusion_without_anybody_to_ask_says_so() -> None:
    with pytest.raises(RetrieverError, match="none are offered here"):
        build(fused("mixed", "a", "b"), RetrieverContext(Path()))


def test_the_corpus_is_read_once_and_only_when_it_is_needed() -> None:
    read: list[int] = []
    plain = corpus_context({"d1": "red"})

    def load() -> Any:
        read.append(1)
        return plain.corpus

    context = RetrieverContext(Path(), load)
    build(entry("function", {"function": "json:dump"}), context)
    assert read == []
    for _ in range(2):
        build(entry("bm25"), context)

    assert read == [1]


def test_the_entry_of_a_real_suite_is_one_that_kinds_understand(tmp_path: Path) -> None:
    from pytest_relevance.suite import read_suite

    (tmp_path / "corpus.jsonl").write_text('{"id": "d1", "text": "Schuhe"}\n')
    (tmp_path / "queries.tsv").write_text("q1\tSchuh\n")
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\n")
    (tmp_path / "a.relevance.yaml").write_text(
        "suite: a\ncorpus: corpus.jsonl\nqueries: queries.tsv\nqrels: qrels.txt\nreport: [P@1]\nretrievers:\n"
        "  bm25: {type: bm25, language: de, k1: 0.9, stemming: true, stop_words: [und], fields: [text]}\n"
        "  other: {type: bm25, stop_words: none}\n"
        "  mixed: {type: fuse, of: [bm25, other], method: weighted, weights: [0.3, 0.7], normalise: z}\n"
    )
    suite = read_suite(tmp_path / "a.relevance.yaml")
    config: RetrieverConfig = suite.retrievers["bm25"]
    context = corpus_context({"d1": "Schuhe"})

    assert retrieve_run(build(config, context), Queries.from_dict({"q1": "Schuh"}), depth=3).ranking("q1") == ("d1",)
    assert in_order(suite.retrievers, ["mixed"]) == ("bm25", "other", "mixed")
