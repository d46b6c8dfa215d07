"""`pytest-relevance compare`: two run files or stored baselines, how they differ and whether that is noise."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from pytest_relevance.cli.located import located
from pytest_relevance.errors import UsageError

if TYPE_CHECKING:
    from pytest_relevance.measures import Measure
    from pytest_relevance.records import Qrels, Run

FELL = 1  # exit status with --fail where a measure fell beyond noise


class _Judgments(NamedTuple):
    """What two runs are measured by."""

    qrels: Qrels | None
    slices: Mapping[str, Sequence[str]]  # name → query_ids
    measures: Sequence[str | Measure]


@click.command(short_help="Two runs: likeness, statistics, movers.")
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
@click.option("--qrels", type=click.Path(path_type=Path), help="Judgments; without them only rankings are compared.")
@click.option("-m", "--measure", "measures", multiple=True, help="A measure, for example nDCG@10. May be repeated.")
@click.option("--suite", type=click.Path(path_type=Path), help="Take judgments, grades and slices of this suite.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON with full precision.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print a page of Markdown.")
@click.option("--fail", is_flag=True, help=f"End with {FELL} if a measure fell and noise does not explain it.")
@click.option("--movers", type=click.IntRange(0), default=3, help="Queries shown side by side (default 3).")
@located
def compare(
    old: Path,
    new: Path,
    qrels: Path | None,
    measures: Sequence[str],
    suite: Path | None,
    as_json: bool,
    as_markdown: bool,
    fail: bool,
    movers: int,
) -> None:
    """Compare the runs OLD and NEW: each a run file in any format known, or a stored baseline.

    Ends with 0; with 2 if an input cannot be used; with 1 if --fail is given and a measure fell beyond noise.
    """
    from pytest_relevance.evaluate.pairwise import MEASURES
    from pytest_relevance.evaluate.pairwise import compare as compare_runs
    from pytest_relevance.report.compare import compare_as_dict, compare_lines, compare_markdown

    by = _judgments(qrels, suite, tuple(measures) or MEASURES)
    if by.qrels is None and (fail or measures):
        option = "--fail" if fail else "--measure"
        raise UsageError(f"{option} needs judgments, and there are none", fix="name them: --qrels FILE")
    found = compare_runs(_run(old), _run(new), by.qrels, by.measures, slices=by.slices, movers=max(movers, 5))
    if as_json:
        click.echo(json.dumps(compare_as_dict(found), ensure_ascii=False))
    elif as_markdown:
        click.echo(compare_markdown(found, movers=movers), nl=False)
    else:
        click.echo("\n".join(compare_lines(found, movers=movers)))
    if fail and found.fell:
        sys.exit(FELL)


def _run(path: Path) -> Run:
    from dataclasses import replace

    from pytest_relevance.baseline import is_baseline, read_baseline
    from pytest_relevance.trec import read_run

    if path.is_file() and is_baseline(path):
        return replace(read_baseline(path).run, name=path.name)
    return replace(read_run(path), name=path.name)


def _judgments(qrels: Path | None, suite: Path | None, measures: Sequence[str]) -> _Judgments:
    from pytest_relevance.trec import read_qrels

    judged = read_qrels(qrels) if qrels is not None else None
    if suite is None:
        return _Judgments(judged, {}, measures)
    from pytest_relevance.measures import parse_measure
    from pytest_relevance.suite import load_data, read_suite

    read = read_suite(suite)
    data = load_data(read)
    first = read.default_qrels
    chosen = [read.grades.applied_to(parse_measure(name)) for name in measures]
    if judged is None and first is not None:
        judged = data.qrels[first]
    return _Judgments(judged, data.members, chosen)
