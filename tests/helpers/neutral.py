"""The neutral inputs of a case as our own records and suites."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pytest_relevance.measures import Fold, evaluate, fold_qrels, fold_run, parse_measure, rbo
from pytest_relevance.records import Evaluation, Qrels, Run
from pytest_relevance.trec import read_qrels, read_run

GAINS = {"exp2": "exp", "linear": "linear", None: None}
SEARCH = '''
def search(query, depth):
    """Every query finds the same ten documents."""
    return [f"d{place}" for place in range(1, 11)][:depth]
'''


@dataclass(frozen=True)
class Case:
    """One folder of cases."""

    folder: Path

    @cached_property
    def expected(self) -> dict[str, Any]:
        return dict(json.loads((self.folder / "expected.json").read_text(encoding="utf-8")))

    @property
    def area(self) -> str:
        return str(self.expected["area"])

    @property
    def options(self) -> Mapping[str, Any]:
        return dict(self.expected.get("options", {}))

    @property
    def inputs(self) -> list[str]:
        return list(self.expected["inputs"])

    def named(self, ending: str) -> Path:
        """The one input whose name has this ending."""
        (path,) = [self.folder / name for name in self.inputs if name.endswith(ending)]
        return path

    def has(self, ending: str) -> bool:
        return any(name.endswith(ending) for name in self.inputs)

    def mentions(self, text: str) -> None:
        """Fail unless a message holds every word it must, and none it must not."""
        missing = [word for word in self.expected.get("must_mention", ()) if word.casefold() not in text.casefold()]
        unwanted = [word for word in self.expected.get("must_not", ()) if word in text]
        assert not missing, f"{missing} not in: {text}"
        assert not unwanted, f"{unwanted} in: {text}"


def qrels_of(case: Case, name: str | None = None) -> Qrels:
    return read_qrels(
        case.folder / name if name else case.named("qrels.json" if case.has("qrels.json") else "qrels.txt")
    )


def run_of(case: Case, qrels: Qrels) -> Run:
    """The run of a case: a run file, results by query, or the one response to the one judged query."""
    for ending in ("run.txt", "results.json"):
        if case.has(ending):
            return read_run(case.named(ending))
    response = json.loads(case.named("response.json").read_text(encoding="utf-8"))
    hits = response["hits"]["hits"] if isinstance(response["hits"], dict) else response["hits"]
    ids = [hit.get("id", hit.get("_id")) for hit in hits]
    (query_id,) = qrels.query_ids
    if hits and "score" in hits[0]:
        return Run.from_rows(
            [(query_id, doc_id, hit["score"]) for doc_id, hit in zip(ids, hits, strict=True)], duplicates="first"
        )
    return Run.from_rankings({query_id: ids}, duplicates="first")


def evaluations(case: Case) -> Iterator[tuple[dict[str, Any], Evaluation, str]]:
    """Each expected value with the evaluation that holds it and the canonical name it stands under."""
    level = case.options.get("relevance_level")
    for value in case.expected["values"]:
        name = next((one for one in value.get("inputs", ()) if "qrels" in one), None)
        qrels = qrels_of(case, name)
        run = run_of(case, qrels)
        if case.options.get("group_by"):
            parent = Fold.parse(case.options["group_by"].removeprefix("id "))
            run, qrels = fold_run(run, parent), fold_qrels(qrels, parent)
        gain: Any = GAINS[value.get("gain")]
        measure = parse_measure(value["measure"]).with_defaults(rel=level, gain=gain)
        yield value, evaluate(run, qrels, [measure]), measure.name


def similarity(case: Case) -> float:
    lists = json.loads(case.named("lists.json").read_text(encoding="utf-8"))
    return rbo(lists["a"], lists["b"], p=lists.get("p", 0.9))


def suite_text(queries: str) -> str:
    """A neutral list of queries as a suite: one assertion a query, on a retriever that finds d1 to d10."""
    body = queries.split("\n---")[0].rstrip("\n")
    ids = [line.partition("id:")[2].strip() for line in body.splitlines() if line.lstrip().startswith("- id:")]
    asked = "".join(f"  - {{query: {query_id}, expect: [{{top: 10, contains: [d1]}}]}}\n" for query_id in ids)
    tail = "\n---" + queries.split("\n---")[1] if "\n---" in queries else ""
    retrievers = "retrievers:\n  found: {type: function, function: 'finding:search'}\n"
    return f"{body}\n{retrievers}assertions:\n{asked}{tail}"
