"""Rules about runs: queries they lack, documents nobody has, rankings cut short, scores that decide nothing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pytest_relevance.preflight.findings import Rule, Seen
from pytest_relevance.preflight.material import Material
from pytest_relevance.preflight.words import counted, some
from pytest_relevance.records import Run

MOST_TIED = 0.05  # share of ranks
LEAST_RANKS = 20  # fewer say nothing


def run_query_missing(material: Material) -> Iterator[Seen]:
    """Judged queries that a run does not have: they count 0, though perhaps they were never asked."""
    wanted = list(dict.fromkeys(query_id for qrels in material.qrels.values() for query_id in qrels.query_ids))
    for name, run in material.runs.items():
        lost = [query_id for query_id in wanted if query_id not in run and query_id not in run.failures]
        if lost:
            yield Seen(
                f"{counted(len(lost), 'judged query', 'judged queries')} of {len(wanted)} are not in the run",
                len(lost),
                len(wanted),
                some(lost),
                material.name(f"run.{name}"),
                "record the run again with all queries; those that are not there count 0",
            )


def run_query_unknown(material: Material) -> Iterator[Seen]:
    """Queries of a run that nobody judged, or that the suite does not ask: they are left out."""
    if not material.qrels:
        return
    for name, run in material.runs.items():
        odd = [query_id for query_id in run.query_ids if not any(query_id in one for one in material.qrels.values())]
        if odd:
            yield Seen(
                f"{counted(len(odd), 'query', 'queries')} of {len(run)} in the run are not judged and are left out",
                len(odd),
                len(run),
                some(odd),
                material.name(f"run.{name}"),
                "judge them, or record only the queries that are judged",
            )


def run_not_in_corpus(material: Material) -> Iterator[Seen]:
    """Ranked documents that the corpus does not have: the run was made from another corpus."""
    for name, run in material.runs.items():
        used = run.doc_ids.take(np.unique(run.codes))
        lost = used.take(np.flatnonzero(~material.in_corpus(used)))
        if len(lost):
            yield Seen(
                f"{counted(len(lost), 'ranked document')} of {len(used)} are not in {material.name('corpus')}",
                len(lost),
                len(used),
                some(lost),
                material.name(f"run.{name}"),
                "record the run again from this corpus",
            )


def run_shorter_than_cutoff(material: Material) -> Iterator[Seen]:
    """Rankings none of which reaches the deepest cutoff asked for: what stands deeper is then never looked at."""
    for name, run in material.runs.items():
        asked, longest = material.depths.get(name, 0), int(run.counts.max(initial=0))
        if 0 < longest < asked:
            short = int(run.counts.min())
            yield Seen(
                f"rankings hold {short} to {longest} documents, and this suite looks at {asked}",
                len(run),
                len(run),
                (),
                material.name(f"run.{name}"),
                "record the run deeper, or lower the cutoffs",
            )


def tied_scores(material: Material) -> Iterator[Seen]:
    """A run in which many ranks share their score: the order among them is made by the doc_ids, not by the search."""
    for name, run in material.runs.items():
        if run.tied_share > MOST_TIED and len(run.scores) >= LEAST_RANKS:
            groups, rows = _ties(run)
            yield Seen(
                f"{run.tied_share:.1%} of the ranks share their score with a neighbour ({counted(groups, 'group')} of "
                "ties); doc_ids decide their order",
                rows,
                len(run.scores),
                (),
                material.name(f"run.{name}"),
                "record scores with more digits, or give the ranks themselves as scores",
            )


def reader_note(material: Material) -> Iterator[Seen]:
    """What reading a file had to tell, such as repeats that were dropped or ranks that disagree with scores."""
    for key, records in (("qrels", material.qrels), ("run", material.runs)):
        for name, one in records.items():
            yield from (Seen(note, 1, 0, (), material.name(f"{key}.{name}"), "see the file") for note in one.notes)


def _ties(run: Run) -> tuple[int, int]:
    """How many groups of equal scores there are, and how many rows are in one."""
    same = (run.scores[1:] == run.scores[:-1]) & (np.diff(run.query_of_row) == 0)
    begins = same & ~np.concatenate(([False], same[:-1]))
    groups = int(begins.sum())
    return groups, int(same.sum()) + groups


RULES = (
    Rule("run-query-missing", run_query_missing),
    Rule("run-query-unknown", run_query_unknown),
    Rule("run-not-in-corpus", run_not_in_corpus),
    Rule("run-shorter-than-cutoff", run_shorter_than_cutoff),
    Rule("tied-scores", tied_scores),
    Rule("reader-note", reader_note),
)
