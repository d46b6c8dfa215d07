"""Material: the data that the pre-flight looks at, of a suite or of bare files, and what each file is called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from pytest_relevance.measures import Fold, fold_qrels, fold_run
from pytest_relevance.preflight.contents import Contents, contents_of
from pytest_relevance.records import Corpus, Ids, Qrels, Queries, Run
from pytest_relevance.records.columns import Truths
from pytest_relevance.suite import Grades


@dataclass(frozen=True, eq=False)
class Material:
    """What there is to look at; what a rule needs and is not there, it says nothing of.

    `names` calls files as messages do, by `corpus`, `queries`, `qrels.NAME` and `run.NAME`.
    """

    queries: Queries | None = None
    qrels: Mapping[str, Qrels] = field(default_factory=dict)
    corpus: Corpus | None = None
    listed: Ids | None = None  # the ids of a corpus that is not there itself
    runs: Mapping[str, Run] = field(default_factory=dict)
    grades: Grades = field(default_factory=Grades)
    exponential: bool = False  # whether some measure's gain is 2^grade - 1
    needs_negatives: bool = True  # whether some measure says nothing without documents judged not relevant
    fold: Fold | None = None
    depths: Mapping[str, int] = field(default_factory=dict)  # run → the deepest cutoff asked of it
    names: Mapping[str, str] = field(default_factory=dict)

    def name(self, key: str) -> str:
        """How messages call a file."""
        return self.names.get(key, key.partition(".")[2] or key)

    @cached_property
    def doc_ids(self) -> Ids | None:
        """The ids of the corpus; None where there is neither a corpus nor a list of its ids."""
        return self.listed if self.corpus is None else self.corpus.doc_ids

    @cached_property
    def contents(self) -> Contents:
        """What the documents hold; nothing where there is no corpus."""
        return Contents() if self.corpus is None else contents_of(self.corpus)

    @cached_property
    def parents_and_parts(self) -> Ids | None:
        """The ids of the corpus and, where something is folded, of its documents' parents."""
        if self.doc_ids is None or self.fold is None:
            return self.doc_ids
        parents = [self.fold.parent_of(doc_id) for doc_id in self.doc_ids]
        return Ids.joined([self.doc_ids, Ids.of({parent: None for parent in parents if parent})])

    @cached_property
    def folded_qrels(self) -> Mapping[str, Qrels]:
        """The judgment sets as they are measured: folded where something is folded."""
        if self.fold is None:
            return self.qrels
        return {name: fold_qrels(one, self.fold) for name, one in self.qrels.items()}

    @cached_property
    def folded_runs(self) -> Mapping[str, Run]:
        """The runs as they are measured."""
        if self.fold is None:
            return self.runs
        return {name: fold_run(one, self.fold) for name, one in self.runs.items()}

    def in_corpus(self, doc_ids: Ids) -> Truths:
        """Whether the corpus has each of these, or a part of it or its parent; all true without a corpus."""
        known = self.parents_and_parts
        if known is None:
            return np.ones(len(doc_ids), dtype=np.bool_)
        there = known.find(doc_ids) >= 0
        if self.fold is not None and not there.all():
            lost = np.flatnonzero(~there)
            parents = [self.fold.parent_of(doc_ids[int(place)]) or "" for place in lost]
            there[lost] = known.find(Ids.of(parents)) >= 0
        return there
