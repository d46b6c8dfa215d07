"""`pytest-relevance check`: what is wrong with the data of suites, or of bare files, before anything is asked."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pytest_relevance.cli.located import FAULT, located
from pytest_relevance.errors import UsageError

if TYPE_CHECKING:
    from pytest_relevance.preflight import Finding, Material

ERRORS_FOUND = 1
_PATH = click.Path(path_type=Path)


@click.command()
@click.argument("suites", nargs=-1, type=_PATH)
@click.option("--qrels", multiple=True, type=_PATH, help="Judgments to check without a suite. May be repeated.")
@click.option("--queries", type=_PATH, help="Their queries.")
@click.option("--corpus", type=_PATH, help="Their documents.")
@click.option("--doc-ids", type=_PATH, help="The ids of the documents, one a line, where the corpus is not at hand.")
@click.option("--run", "runs", multiple=True, type=_PATH, help="A run file. May be repeated.")
@click.option("--fold", help="Fold passages to parents: 'before #', 'before last -', /regex/ or a doc_id-parent file.")
@click.option("--max-grade", type=float, help="The top of the grades' scale.")
@click.option("--relevant", type=float, default=1.0, help="Lowest relevant grade (default 1).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@located
def check(suites: Sequence[Path], as_json: bool, **files: Any) -> None:
    """Say what is wrong with the data of SUITES, or of bare files. No retriever is asked.

    Ends with 0 where no errors are found, 1 where some are, 2 where something cannot be read.
    """
    from pytest_relevance.report.findings import finding_lines, findings_as_dict

    looked = _of_suites(suites) if suites else [("", *_of_files(files))]
    for name, findings, _ in looked if not as_json else ():
        click.echo("\n".join([*([f"{name}\n"] if name else []), *finding_lines(findings)]))
    found = [finding for _, findings, _ in looked for finding in findings]
    if as_json:
        click.echo(json.dumps(findings_as_dict(found), ensure_ascii=False))
    sys.exit(_status(found))


def _of_suites(suites: Sequence[Path]) -> list[tuple[str, tuple[Finding, ...], Material]]:
    from pytest_relevance.errors import as_shown
    from pytest_relevance.preflight import gather_suite, look
    from pytest_relevance.suite import read_suite

    looked = []
    for path in suites:
        suite = read_suite(path)
        material, unread = gather_suite(suite)
        looked.append((as_shown(str(path)), (*unread, *look(material, suite.preflight)), material))
    return looked


def _of_files(files: dict[str, Any]) -> tuple[tuple[Finding, ...], Material]:
    from pytest_relevance.preflight import Files, gather_files, look
    from pytest_relevance.suite import Grades

    if not any(files[key] for key in ("qrels", "queries", "corpus", "doc_ids", "runs")):
        raise UsageError("nothing to check", fix="name a suite, or files: --qrels, --queries, --corpus, --run")
    material, unread = gather_files(
        Files(
            qrels=_named(files["qrels"]),
            queries=files["queries"],
            corpus=files["corpus"],
            doc_ids=files["doc_ids"],
            runs=_named(files["runs"]),
            grades=Grades(files["max_grade"], files["relevant"]),
            fold=files["fold"],
        )
    )
    return (*unread, *look(material)), material


def _named(paths: Sequence[Path]) -> dict[str, Path]:
    """The files by their names, or by their paths where two have one name."""
    names = [path.name for path in paths]
    return {path.name if names.count(path.name) == 1 else str(path): path for path in paths}


def _status(findings: Sequence[Finding]) -> int:
    if any(finding.rule == "unreadable-file" for finding in findings):
        return FAULT
    return ERRORS_FOUND if any(finding.level == "error" for finding in findings) else 0
