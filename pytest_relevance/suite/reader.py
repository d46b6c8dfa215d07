"""From a suite file to a Suite: the text located, the form filled, each name resolved once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pytest_relevance.errors import Place, ProblemList, SuiteError, suggestion
from pytest_relevance.measures import RankingFunction
from pytest_relevance.records import Query
from pytest_relevance.suite.checks import Check, with_own_titles
from pytest_relevance.suite.expectations import QueryMeasure
from pytest_relevance.suite.forms import fill
from pytest_relevance.suite.located import Series, Table, collector_paused, load, plain
from pytest_relevance.suite.model import Grades, InlineQrels, RetrieverConfig, Suite
from pytest_relevance.suite.names import LONE_QRELS, names_of
from pytest_relevance.suite.source import Source, is_there, read_source
from pytest_relevance.suite.written import QueryForm, SuiteForm

SUFFIXES = (".relevance.yaml", ".relevance.yml", ".yaml", ".yml")


def read_suite(path: str | Path, *, known_measures: Mapping[str, RankingFunction] | None = None) -> Suite:
    """The suite in a file; `known_measures` holds third parties' measures by name. No data file is opened.

    Raises:
        SuiteError: the file cannot be read, or one thing in it does not fit. CombinedError: several do not.
    """
    file = Path(path)
    with collector_paused():
        return suite_of(read_source(file), file, known_measures=known_measures)


def suite_of(source: Source, path: Path, *, known_measures: Mapping[str, RankingFunction] | None = None) -> Suite:
    """The suite in a source; `path` is where its relative paths begin."""
    tree = load(source)
    form = fill(SuiteForm, tree, context=names_of(tree, known_measures or {}))
    suite = _suite(form, tree, path)
    problems = ProblemList()
    _refuse_odd_qrels(form, tree, suite, problems)
    _refuse_odd_weights(suite, tree, problems)
    _refuse_repeated_queries(form, problems)
    _refuse_repeated_reports(suite, problems)
    _refuse_shallow_depth(suite, problems)
    problems.raise_any()
    return suite


def _suite(form: SuiteForm, tree: Table, path: Path) -> Suite:
    retrievers = {name: _config(name, tree) for name in form.retrievers}
    qrels = _qrels(form, tree, path)
    default = next(iter(qrels), None)
    checks: list[Check] = [one for check in form.checks for one in check.checks(tuple(retrievers), default)]
    gain = form.grades.gain
    return Suite(
        name=form.suite or _stem(path),
        path=path,
        corpus=None if form.corpus is None else path.parent / form.corpus,
        queries=path.parent / form.queries if isinstance(form.queries, str) else _queries(form.queries),
        qrels=qrels,
        grades=Grades(form.grades.max, form.grades.relevant, gain),
        slices=form.slices,
        weights=form.weights,
        retrievers=retrievers,
        report=form.report,
        checks=with_own_titles(checks),
        assertions=tuple(one.assertion(tuple(retrievers), path.parent, tuple(form.slices)) for one in form.assertions),
        duplicates=form.duplicates,
        depth=form.depth,
        fold=_fold(form.fold, path),
        preflight=form.preflight.preflight,
        places=_places(tree),
    )


def _config(name: str, tree: Table) -> RetrieverConfig:
    entries = tree["retrievers"]
    assert isinstance(entries, Table)
    entry = entries[name]
    assert isinstance(entry, Table)
    options = Table(entry.source, entry.start)
    options.end = entry.end
    options.update({key: value for key, value in entry.items() if key != "type"})
    options.spans = {key: spans for key, spans in entry.spans.items() if key != "type"}
    return RetrieverConfig(name, str(entry["type"]), options, entries.key_spot(name).place)


def _queries(forms: tuple[QueryForm, ...]) -> tuple[Query, ...]:
    return tuple(
        Query(form.query_id, form.text, {key: plain(value) for key, value in (form.model_extra or {}).items()})
        for form in forms
    )


def _qrels(form: SuiteForm, tree: Table, path: Path) -> dict[str, Path | InlineQrels]:
    found: dict[str, Path | InlineQrels] = {}
    if not isinstance(form.queries, str):
        grades = {query.query_id: query.relevant for query in form.queries if query.relevant is not None}
        if grades:
            found[LONE_QRELS] = InlineQrels(grades, tree.key_spot("queries").place)
    written = {LONE_QRELS: form.qrels} if isinstance(form.qrels, str) else form.qrels or {}
    return found | {name: path.parent / file for name, file in written.items()}


def _places(tree: Table) -> dict[str, Place]:
    places = {key: tree.value_spot(key).place for key in tree if key not in ("checks", "assertions", "queries")}
    if isinstance(tree.get("queries"), str):
        places["queries"] = tree.value_spot("queries").place
    report = tree.get("report")
    if isinstance(report, Series):
        places |= {f"report.{index}": report.item_spot(index).place for index in range(len(report))}
    for key in ("qrels", "slices", "weights", "preflight"):
        inner = tree.get(key)
        if isinstance(inner, Table):
            places |= {f"{key}.{name}": inner.value_spot(name).place for name in inner}
    return places


def _fold(rule: str | None, path: Path) -> str | None:
    # A rule stays as it is; the name of a file begins at the suite's folder, as all names do.
    file = path.parent / rule if rule else None
    return str(file) if file is not None and is_there(file) else rule


def _stem(path: Path) -> str:
    suffix = next((suffix for suffix in SUFFIXES if path.name.endswith(suffix)), "")
    return path.name.removesuffix(suffix) or path.name


def _refuse_odd_qrels(form: SuiteForm, tree: Table, suite: Suite, problems: ProblemList) -> None:
    inline = not isinstance(form.queries, str) and any(query.relevant is not None for query in form.queries)
    twice = inline and (isinstance(form.qrels, str) or LONE_QRELS in (form.qrels or {}))
    if twice:
        fix = f"remove qrels, or give the file a name other than {LONE_QRELS!r}: 'qrels: {{editors: FILE}}'"
        place = tree.key_spot("qrels").place
        problems.add(SuiteError("judgments are written at the queries and in a file too", place=place, fix=fix))
    if not suite.qrels:
        _refuse_unjudged(suite, problems)


def _refuse_unjudged(suite: Suite, problems: ProblemList) -> None:
    asking = [(measure.name, suite.places[f"report.{index}"]) for index, measure in enumerate(suite.report)]
    asking += [(check.subject.name, check.place) for check in suite.checks if check.needs_judgments and check.subject]
    asking += [
        (one.measure.name, one.place)
        for assertion in suite.assertions
        for one in assertion.expect
        if isinstance(one, QueryMeasure)
    ]
    for name, place in dict.fromkeys(asking):
        fix = "add judgments, for example 'qrels: qrels.txt'"
        problems.add(SuiteError(f"{name} needs judgments, and this suite has no qrels", place=place, fix=fix))


def _refuse_odd_weights(suite: Suite, tree: Table, problems: ProblemList) -> None:
    schemes = tree.get("weights")
    for scheme, weights in suite.weights.items():
        assert isinstance(schemes, Table)
        if scheme not in suite.slices:
            fix = suggestion(scheme, suite.slices, label="slices of this suite") if suite.slices else "add slices first"
            problems.add(
                SuiteError(f"weights for unknown slices {scheme!r}", place=schemes.key_spot(scheme).place, fix=fix)
            )
            continue
        rules, inner = suite.slices[scheme], schemes[scheme]
        assert isinstance(inner, Table)
        for name in weights:
            if not isinstance(rules, str) and name not in rules:
                fix = suggestion(name, rules, label=f"slices of {scheme}")
                place = inner.key_spot(name).place
                problems.add(SuiteError(f"weight for unknown slice {name!r} of {scheme}", place=place, fix=fix))


def _refuse_repeated_queries(form: SuiteForm, problems: ProblemList) -> None:
    seen: dict[str, QueryForm] = {}
    for query in () if isinstance(form.queries, str) else form.queries:
        first = seen.setdefault(query.query_id, query)
        if first is not query:
            lines = f"lines {first.place.line} and {query.place.line}"
            problems.add(
                SuiteError(
                    f"query {query.query_id!r} is there twice: {lines}",
                    place=query.place,
                    fix="give each query an id of its own",
                )
            )


def _refuse_repeated_reports(suite: Suite, problems: ProblemList) -> None:
    seen = set()
    for index, measure in enumerate(suite.report):
        name = suite.grades.applied_to(measure).name
        if name in seen:
            place = suite.places[f"report.{index}"]
            problems.add(SuiteError(f"report names {name} twice", place=place, fix="name each measure once"))
        seen.add(name)


def _refuse_shallow_depth(suite: Suite, problems: ProblemList) -> None:
    if suite.depth is None:
        return
    refused = set()
    for name in suite.retrievers:
        for need in suite.needs_of(name):
            if need.least > suite.depth and (need.what, need.where) not in refused:
                refused.add((need.what, need.where))  # once, though several retrievers share it
                problem = f"{need.what} needs {need.least} documents, and depth is {suite.depth}"
                fix = f"raise depth to {need.least}, or remove it"
                problems.add(SuiteError(problem, place=need.place, fix=fix))
