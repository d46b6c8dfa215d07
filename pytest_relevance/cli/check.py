"""`pytest-relevance check`: what is wrong with the data of suites, or of bare files, before anything is asked."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from pytest_relevance.cli.located import FAULT, located
from pytest_relevance.errors import UsageError, suggestion

if TYPE_CHECKING:
    from pytest_relevance.preflight import Finding, Material
    from pytest_relevance.preflight.bias import BiasAudit
    from pytest_relevance.preflight.health import Health
    from pytest_relevance.suite import Suite

ERRORS_FOUND = 1
_OF_FILES = frozenset({"qrels", "queries", "corpus", "doc_ids", "runs", "fold", "max_grade", "relevant"})
_GOES_WITH = {"cutoff": ("health", "--health"), "audited": ("features", "--bias"), "top": ("features", "--bias")}
_PATH = click.Path(path_type=Path)


@click.command(short_help="What is wrong with the data, before anything is asked.")
@click.argument("suites", nargs=-1, type=_PATH)
@click.option("--qrels", multiple=True, type=_PATH, help="Judgments to check without a suite. May be repeated.")
@click.option("--queries", type=_PATH, help="Their queries.")
@click.option("--corpus", type=_PATH, help="Their documents.")
@click.option("--doc-ids", type=_PATH, help="The ids of the documents, one a line, where the corpus is not at hand.")
@click.option("--run", "runs", multiple=True, type=_PATH, help="A run file. May be repeated.")
@click.option("--fold", help="Fold passages to parents: 'before #', 'before last -', /regex/ or a doc_id-parent file.")
@click.option("--max-grade", type=float, help="The top of the grades' scale.")
@click.option("--relevant", type=float, default=1.0, help="Lowest relevant grade (default 1).")
@click.option("--health", is_flag=True, help="Print a page on each judgment set too: grades, positives, the ceiling.")
@click.option(
    "--cutoff", type=click.IntRange(min=1), default=10, help="The cutoff of that page's measures (default 10)."
)
@click.option(
    "--bias",
    "features",
    multiple=True,
    metavar="FEATURE",
    help="Audit the judgments' bias in a feature: bm25, "
    "doc_length, query_length, field:NAME, score:RUN or package.module:function. May be repeated.",
)
@click.option(
    "--of", "audited", metavar="RUN", help="The run whose unjudged documents are compared (default: the first)."
)
@click.option("--top", type=click.IntRange(min=1), default=10, help="Down to which rank (default 10).")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@located
def check(suites: Sequence[Path], health: bool, cutoff: int, as_json: bool, **files: Any) -> None:
    """Say what is wrong with the data of SUITES, or of bare files. No retriever is asked.

    Ends with 0 where no errors are found, 1 where some are, 2 where something cannot be read.
    """
    _refuse_idle(click.get_current_context())
    looked = _of_suites(suites) if suites else [_of_files(files)]
    found = [finding for one in looked for finding in one.findings]
    pages = {one: one.pages(cutoff) if health else [] for one in looked}
    audits = {one: one.audits(files["features"], files["audited"], files["top"]) for one in looked}
    if as_json:
        click.echo(json.dumps(_as_dict(found, pages, audits), ensure_ascii=False))
    else:
        for one in looked:
            click.echo("\n".join(_lines(one, pages[one], audits[one])))
    sys.exit(_status(found))


def _refuse_idle(context: click.Context) -> None:
    """Refuse options that would change nothing: whoever gives one means something by it."""
    given = {
        str(one.name): one.opts[0]
        for one in context.command.params
        if context.get_parameter_source(str(one.name)) is ParameterSource.COMMANDLINE
    }
    for name, option in given.items():
        if "suites" in given and name in _OF_FILES:
            raise UsageError(f"{option} is for bare files, and a suite is named", fix="leave it out, or the suite")
        needed, called = _GOES_WITH.get(name, (name, option))
        if needed not in given:
            raise UsageError(f"{option} does nothing without {called}", fix="add that, or leave it out")


def _lines(looked: Looked, pages: list[Health], audits: list[BiasAudit]) -> list[str]:
    from pytest_relevance.report.bias import bias_lines
    from pytest_relevance.report.findings import finding_lines
    from pytest_relevance.report.health import health_lines

    lines = [*([f"{looked.name}\n"] if looked.name else []), *finding_lines(looked.findings)]
    for page in pages:
        lines += ["", *health_lines(page)]
    for audit in audits:
        lines += ["", *bias_lines(audit)]
    return lines


def _as_dict(
    found: list[Finding], pages: dict[Looked, list[Health]], audits: dict[Looked, list[BiasAudit]]
) -> dict[str, Any]:
    from pytest_relevance.report.bias import bias_as_dict
    from pytest_relevance.report.findings import findings_as_dict
    from pytest_relevance.report.health import health_as_dict

    told = findings_as_dict(found)
    told["health"] = [{"suite": one.name, **health_as_dict(page)} for one, all_of in pages.items() for page in all_of]
    told["bias"] = [{"suite": one.name, **bias_as_dict(audit)} for one, all_of in audits.items() for audit in all_of]
    return told


@dataclass(frozen=True, eq=False)
class Looked:
    """What was found in one suite, or in the bare files together."""

    name: str
    findings: tuple[Finding, ...]
    material: Material
    suite: Suite | None = None

    def pages(self, cutoff: int) -> list[Health]:
        """The health of each judgment set, with the suite's slices."""
        from pytest_relevance.preflight.health import health_of
        from pytest_relevance.suite import slice_members

        queries = self.material.queries
        slices = slice_members(self.suite, queries) if self.suite and queries else {}
        return [health_of(self.material, name, cutoff=cutoff, slices=slices) for name in self.material.qrels]

    def audits(self, features: Sequence[str], name: str | None, top: int) -> list[BiasAudit]:
        """The bias of the first judgment set in each feature, against a run's unjudged documents."""
        from pytest_relevance.preflight.bias import audit_bias, pairs_of
        from pytest_relevance.preflight.features import feature_of

        runs = self.material.folded_runs
        if features and (name or next(iter(runs), "")) not in runs:
            fix = suggestion(name or "", runs, label="runs here") if runs else "name a run file: --run FILE"
            raise UsageError(f"there is no run {name!r} to audit" if name else "there is no run to audit", fix=fix)
        audits = []
        for text in features:
            feature = feature_of(text, self.material, folder=self.suite.path.parent if self.suite else None)
            qrels = next(iter(self.material.folded_qrels.values()), None)
            if qrels is None:
                raise UsageError("there are no judgments to audit", fix="name them: --qrels FILE")
            audits.append(audit_bias(feature, *pairs_of(runs[name or next(iter(runs))], qrels, top=top)))
        return audits


def _of_suites(suites: Sequence[Path]) -> list[Looked]:
    from pytest_relevance.errors import as_shown
    from pytest_relevance.preflight import gather_suite, look
    from pytest_relevance.suite import read_suite

    looked = []
    for path in suites:
        suite = read_suite(path)
        material, unread = gather_suite(suite)
        looked.append(Looked(as_shown(str(path)), (*unread, *look(material, suite.preflight)), material, suite))
    return looked


def _of_files(files: dict[str, Any]) -> Looked:
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
    return Looked("", (*unread, *look(material)), material)


def _named(paths: Sequence[Path]) -> dict[str, Path]:
    """The files by their names, or by their paths where two have one name."""
    names = [path.name for path in paths]
    return {path.name if names.count(path.name) == 1 else str(path): path for path in paths}


def _status(findings: Sequence[Finding]) -> int:
    if any(finding.rule == "unreadable-file" for finding in findings):
        return FAULT
    return ERRORS_FOUND if any(finding.level == "error" for finding in findings) else 0
