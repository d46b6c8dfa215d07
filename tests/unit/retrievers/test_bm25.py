from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Callable, Mapping
from math import log
from pathlib import Path

import pytest
from retriever_stand_ins import corpus_context, entry, retrieve

from pytest_relevance.errors import RetrieverError, SuiteError
from pytest_relevance.records import Corpus, Ids
from pytest_relevance.retrievers import RetrieverContext, build
from pytest_relevance.retrievers.bm25 import Bm25Retriever
from pytest_relevance.retrievers.bm25_index import Bm25Index, build_index, kept_index
from pytest_relevance.retrievers.bm25_options import Bm25Options
from pytest_relevance.retrievers.bm25_tokens import Analysis, Terms

THREE = {"d1": "red shoes", "d2": "red red hat", "d3": "green hat with a very long feather"}
PLAIN = {"language": "none", "k1": 1.2, "b": 0.75}


def lucene(tf: int, df: int, length: int, *, n: int = 3, mean: float = 4.0) -> float:
    """One term's part of a score: idf · tf / (tf + k1 (1 − b + b · length / mean)), k1 = 1.2, b = 0.75."""
    return log(1 + (n - df + 0.5) / (df + 0.5)) * tf / (tf + 1.2 * (1 - 0.75 + 0.75 * length / mean))


def test_scores_are_those_of_lucenes_formula() -> None:
    run = retrieve(entry("bm25", PLAIN), {"q1": "red hat"}, corpus_context(THREE))

    assert run.to_dict()["q1"] == pytest.approx(
        {
            "d2": lucene(tf=2, df=2, length=3) + lucene(tf=1, df=2, length=3),
            "d1": lucene(tf=1, df=2, length=2),
            "d3": lucene(tf=1, df=2, length=7),
        },
        rel=1e-6,
    )
    assert run.ranking("q1") == ("d2", "d1", "d3")


def test_a_word_said_twice_in_the_query_counts_twice() -> None:
    run = retrieve(entry("bm25", PLAIN), {"once": "shoes", "twice": "shoes shoes"}, corpus_context(THREE))

    assert run.scores_of("twice")[0] == pytest.approx(2 * run.scores_of("once")[0])


@pytest.mark.parametrize(
    ("method", "score"),
    [
        ("robertson", log((4 - 1 + 0.5) / (1 + 0.5)) * 1 / (1 + 1.2)),
        ("atire", log(4 / 1) * (1 * 2.2) / (1 + 1.2)),
        ("bm25+", log(5 / 1) * (1 * 2.2 / (1 + 1.2) + 0.5)),
        ("bm25l", log(5 / 1.5) * 2.2 * (1 + 0.5) / (1.2 + 1 + 0.5)),
    ],
)
def test_each_method_has_its_own_formula(method: str, score: float) -> None:
    context = corpus_context({"a": "one", "b": "two", "c": "three", "d": "four"})  # every document one word long

    run = retrieve(entry("bm25", {"method": method, "language": "none"}), {"q1": "two"}, context)

    assert run.to_dict() == {"q1": pytest.approx({"b": score}, rel=1e-6)}


@pytest.mark.parametrize("method", ["bm25+", "bm25l"])
def test_a_document_without_any_of_the_words_is_no_result(method: str) -> None:
    run = retrieve(entry("bm25", {"method": method, "language": "none"}), {"q1": "shoes"}, corpus_context(THREE))

    assert run.ranking("q1") == ("d1",)


def test_equal_scores_are_cut_by_the_tie_rule_and_not_by_place_in_the_corpus() -> None:
    context = corpus_context({f"d{number}": "same words" for number in (3, 9, 1, 7, 5)} | {"other": "else"})

    run = retrieve(entry("bm25"), {"q1": "words"}, context, depth=2)

    assert run.ranking("q1") == ("d9", "d7")


@pytest.mark.parametrize("text", ["", "?!", "unheard", "the", "🎁"])
def test_a_query_without_a_known_word_is_answered_with_nothing(text: str) -> None:
    run = retrieve(entry("bm25"), {"q1": text}, corpus_context(THREE))

    assert run.ranking("q1") == ()
    assert "q1" in run
    assert not run.failures


@pytest.mark.parametrize("texts", [{}, {"d1": ""}, {"d1": "", "d2": "the"}])
def test_a_corpus_without_words_answers_with_nothing(texts: Mapping[str, str], tmp_path: Path) -> None:
    assert retrieve(entry("bm25"), {"q1": "red"}, corpus_context(texts, tmp_path)).to_dict() == {"q1": {}}


def test_one_document_can_be_found() -> None:
    assert retrieve(entry("bm25"), {"q1": "shoe"}, corpus_context({"d1": "shoes"})).ranking("q1") == ("d1",)


def test_empty_documents_are_never_found_and_disturb_nothing() -> None:
    context = corpus_context({"d0": "", "d1": "red", "d2": ""})

    assert retrieve(entry("bm25"), {"q1": "red"}, context).ranking("q1") == ("d1",)


def test_only_the_named_fields_are_indexed() -> None:
    corpus = Corpus({"d1": {"title": "red", "text": "green"}, "d2": {"title": "green", "text": "red", "price": 3}})
    context = RetrieverContext(Path(), lambda: corpus)

    assert retrieve(entry("bm25", {"fields": ["title"]}), {"q1": "red"}, context).ranking("q1") == ("d1",)
    assert retrieve(entry("bm25"), {"q1": "red"}, context).ranking("q1") == ("d2", "d1")


def test_a_field_that_no_document_has_is_named_with_the_nearest() -> None:
    context = RetrieverContext(Path(), lambda: Corpus({"d1": {"title": "red"}}))

    with pytest.raises(SuiteError, match="no document has the field 'titel'") as caught:
        build(entry("bm25", {"fields": ["titel"]}), context)

    assert caught.value.fix == "did you mean 'title'? fields of this corpus: title"
    assert caught.value.place is not None


def test_a_suite_without_a_corpus_is_told_so() -> None:
    with pytest.raises(RetrieverError, match="this suite names none") as caught:
        build(entry("bm25"), RetrieverContext(Path()))

    assert caught.value.place is not None


@pytest.mark.parametrize(
    "options", [{"k1": -1}, {"b": 1.5}, {"method": "bm26"}, {"stemer": True}, {"language": "klingon"}]
)
def test_an_option_out_of_range_is_an_error_at_its_place(options: Mapping[str, object]) -> None:
    with pytest.raises(SuiteError) as caught:
        build(entry("bm25", options), corpus_context(THREE))

    assert caught.value.place is not None


def test_an_index_is_kept_and_gives_the_same_ranking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = counted_builds(monkeypatch)

    runs = [retrieve(entry("bm25"), {"q1": "red hat"}, corpus_context(THREE, tmp_path)) for _ in range(2)]

    assert len(made) == 1
    assert runs[0].to_dict() == runs[1].to_dict()


@pytest.mark.parametrize(
    "change", [{"k1": 2.0}, {"stemming": False}, {"stop_words": ["red"]}, {"fields": ["text"]}, {"method": "atire"}]
)
def test_other_options_are_another_index(
    change: Mapping[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = counted_builds(monkeypatch)
    for options in ({}, change):
        retrieve(entry("bm25", options), {"q1": "red"}, corpus_context(THREE, tmp_path))

    assert len(made) == 2


@pytest.mark.parametrize("texts", [THREE | {"d3": "blue hat"}, {"d1": "red shoes", "d2": "red red hat"}])
def test_another_corpus_is_another_index(
    texts: Mapping[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = counted_builds(monkeypatch)
    for corpus in (THREE, texts):
        retrieve(entry("bm25"), {"q1": "red"}, corpus_context(corpus, tmp_path))

    assert len(made) == 2


@pytest.mark.parametrize("harm", ["cut", "flipped", "emptied", "gone"])
def test_a_damaged_index_is_made_anew(harm: str, tmp_path: Path) -> None:
    whole = retrieve(entry("bm25"), {"q1": "red hat"}, corpus_context(THREE, tmp_path))
    for file in [path for path in tmp_path.rglob("*.npy") if "data" in path.name]:
        damage(file, harm)

    again = retrieve(entry("bm25"), {"q1": "red hat"}, corpus_context(THREE, tmp_path))

    assert again.to_dict() == whole.to_dict()


def test_a_cache_that_cannot_be_written_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")

    run = retrieve(entry("bm25"), {"q1": "hat"}, corpus_context(THREE, tmp_path / "file"))

    assert len(run.ranking("q1")) == 2


def test_a_users_own_bm25s_is_left_as_it_is() -> None:
    before = {name: module for name, module in sys.modules.items() if name.partition(".")[0] in ("bm25s", "numba")}

    retrieve(entry("bm25"), {"q1": "hat"}, corpus_context(THREE))

    after = {name: module for name, module in sys.modules.items() if name.partition(".")[0] in ("bm25s", "numba")}
    assert before == after


def test_a_retriever_that_is_not_opened_says_so() -> None:
    retriever = build(entry("bm25"), corpus_context(THREE))

    with pytest.raises(RuntimeError, match="is opened"):
        list(retriever.retrieve([], depth=1))


def test_rankings_of_real_text_equal_an_independent_calculation(shared: Path) -> None:
    texts, queries = vaswani(shared)
    run = retrieve(entry("bm25", {"language": "none"}), queries, corpus_context(texts), depth=20)

    for query_id, text in queries.items():
        expected = plain_bm25(texts, text)
        assert run.to_dict()[query_id] == pytest.approx(
            {doc_id: expected[doc_id] for doc_id in run.ranking(query_id)}, rel=1e-5
        )
        assert min(run.scores_of(query_id)) >= sorted(expected.values())[-20] * (1 - 1e-5)


def _index_in_process(cache: Path, together: Callable[[], object], marks: Path, name: int) -> None:
    def make() -> Bm25Index:
        (marks / str(name)).touch()
        return build_index(THREE.values(), Ids.of(THREE), Terms(Analysis(None, frozenset(), True)), Bm25Options())

    together()
    kept = kept_index(cache / "bm25" / "key", make)
    assert len(kept.search([0], Ids.of(THREE), depth=3)) == 2  # red


def test_processes_that_open_at_once_build_an_index_once(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    context = multiprocessing.get_context("spawn")
    together = context.Barrier(2).wait
    processes = [
        context.Process(target=_index_in_process, args=(tmp_path / "cache", together, marks, name)) for name in range(2)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)

    assert [process.exitcode for process in processes] == [0, 0]
    assert len(list(marks.iterdir())) == 1


def counted_builds(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Each index that is built from now on, appended as it is made."""
    made: list[object] = []
    real = Bm25Retriever._built

    def counting(retriever: Bm25Retriever) -> Bm25Index:
        made.append(retriever)
        return real(retriever)

    monkeypatch.setattr(Bm25Retriever, "_built", counting)
    return made


def damage(file: Path, harm: str) -> None:
    content = file.read_bytes()
    if harm == "gone":
        file.unlink()
    else:
        flipped = content[:-1] + bytes([content[-1] ^ 0x10])
        file.write_bytes({"cut": content[:-3], "flipped": flipped, "emptied": b""}[harm])


def vaswani(shared: Path) -> tuple[dict[str, str], dict[str, str]]:
    """The first 500 documents and 10 queries."""
    import json

    folder = shared / "data" / "vaswani-npl"
    with (folder / "corpus.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for _, line in zip(range(500), lines, strict=False)]
    with (folder / "queries.tsv").open(encoding="utf-8") as lines:
        queries = dict(line.rstrip("\n").split("\t") for _, line in zip(range(10), lines, strict=False))
    return {row["id"]: row["text"] for row in rows}, queries


def plain_bm25(texts: Mapping[str, str], query: str) -> dict[str, float]:
    """Lucene's BM25 in plain Python: doc_id → score of every document that holds a word of the query."""
    documents = {doc_id: text.lower().split() for doc_id, text in texts.items()}
    mean = sum(map(len, documents.values())) / len(documents)
    scores: dict[str, float] = {}
    for word in query.lower().split():
        holding = [doc_id for doc_id, words in documents.items() if word in words]
        for doc_id in holding:
            tf, length = documents[doc_id].count(word), len(documents[doc_id])
            part = lucene(tf, len(holding), length, n=len(documents), mean=mean)
            scores[doc_id] = scores.get(doc_id, 0.0) + part
    return scores
