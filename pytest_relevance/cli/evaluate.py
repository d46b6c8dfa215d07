"""`pytest-relevance evaluate`: measure a run file against a file of judgments."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from pytest_relevance.cli.located import located

DEFAULT_MEASURES = ("nDCG@10", "R@100", "RR@10", "AP", "Judged@10")


@click.command(short_help="Measure a run file.")
@click.argument("qrels", type=click.Path(path_type=Path))
@click.argument("run", type=click.Path(path_type=Path))
@click.option("-m", "--measure", "measures", multiple=True, help="A measure, for example nDCG@10. May be repeated.")
@click.option("--per-query", is_flag=True, help="Show the value of each query too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON with full precision.")
@click.option("--fold", help="Fold passages to parents: 'before #', 'before last -', /regex/ or a doc_id-parent file.")
@click.option("--relevant", type=float, help="Lowest relevant grade, for measures without rel= (default 1).")
@click.option("--duplicates", type=click.Choice(["error", "first"]), default="error", help="What to do with repeats.")
@click.option(
    "--complete/--intersection",
    default=True,
    help="Mean over all judged queries, missing ones 0 (default), or over the queries of both files only.",
)
@click.option("--cache/--no-cache", default=True, help="Keep judged ranks so that a second look is fast (default).")
@located
def evaluate(qrels: Path, run: Path, measures: Sequence[str], **options: Any) -> None:
    """Measure a RUN file against a QRELS file, both in any format known, plain or gzipped."""
    from pytest_relevance.report.evaluation import evaluation_as_dict, evaluation_lines

    result = _evaluated(qrels, run, measures or DEFAULT_MEASURES, options)
    if options["as_json"]:
        click.echo(json.dumps(evaluation_as_dict(result, per_query=options["per_query"]), ensure_ascii=False))
        return
    for line in evaluation_lines(result, per_query=options["per_query"]):
        click.echo(line)
    for note in (*result.notes, *_counts(result)):
        click.echo(f"note: {note}", err=True)


def _evaluated(qrels: Path, run: Path, names: Sequence[str], options: dict[str, Any]) -> Any:
    from pytest_relevance.measures import parse_measure

    measures = [parse_measure(name).with_defaults(rel=options["relevant"]) for name in names]
    if not options["fold"] and not any(measure.needs_documents for measure in measures):
        from pytest_relevance.measures.files import evaluate_files

        return evaluate_files(
            qrels,
            run,
            measures,
            duplicates=options["duplicates"],
            complete=options["complete"],
            cache=options["cache"],
        )
    from pytest_relevance.measures import Fold, evaluate, fold_qrels, fold_run
    from pytest_relevance.trec import read_qrels, read_run

    judged = read_qrels(qrels, duplicates=options["duplicates"])
    ranked = read_run(run, duplicates=options["duplicates"])
    parent = Fold.parse(options["fold"])
    return evaluate(fold_run(ranked, parent), fold_qrels(judged, parent), measures, complete=options["complete"])


def _counts(result: Any) -> list[str]:
    """What the means went over, in words, where it is not the plain case."""
    told = (
        (result.absent, "judged but not in the run, counted 0"),
        (result.empty, "answered with nothing, counted 0"),
        (result.unjudged, "in the run but not judged, left out"),
        (result.without_relevant, "without a relevant document, counted 0 where a measure divides by their number"),
    )
    return [
        f"{len(query_ids)} {'query' if len(query_ids) == 1 else 'queries'} {what}: {_some(query_ids)}"
        for query_ids, what in told
        if query_ids
    ]


def _some(query_ids: Sequence[str], most: int = 5) -> str:
    shown = ", ".join(query_ids[:most])
    return f"{shown} and {len(query_ids) - most} more" if len(query_ids) > most else shown
