"""An evaluation as lines for a terminal and as plain data for JSON."""

from __future__ import annotations

from typing import Any

from pytest_relevance.measures import FAMILIES
from pytest_relevance.records import Evaluation, Values
from pytest_relevance.report.text import columns_of, visible

SCHEMA = 1


def evaluation_lines(evaluation: Evaluation, *, per_query: bool = False) -> list[str]:
    """`measure  query  value` with four decimals, queries first, then `all`: the shape trec_eval prints."""
    rows = []
    if per_query:
        rows = [
            [measure, visible(query_id), _number(measure, value)]
            for query_id in evaluation.query_ids
            for measure, values in evaluation.items()
            for value in [values.values[query_id]]
        ]
    rows += [[measure, "all", _number(measure, over_all(values))] for measure, values in evaluation.items()]
    return columns_of(rows, [False, False, True])


def over_all(values: Values) -> float:
    """What stands for all queries: the mean, or for counts such as NumRet the sum, as trec_eval prints it."""
    return float(values.column.sum()) if _is_count(values.measure) else values.mean


def evaluation_as_dict(evaluation: Evaluation, *, per_query: bool = False) -> dict[str, Any]:
    """`{"schema": 1, "queries": N, "measures": {"nDCG@10": {"mean": 0.4, "values": {"q1": 0.5}}}}`, full precision."""
    measures: dict[str, dict[str, Any]] = {}
    for measure, values in evaluation.items():
        measures[measure] = {"mean": values.mean}
        if per_query:
            measures[measure]["values"] = dict(values.values)
    return {"schema": SCHEMA, "queries": len(evaluation.query_ids), "measures": measures}


def _number(measure: str, value: float) -> str:
    return f"{value:.0f}" if _is_count(measure) else f"{value:.4f}"


def _is_count(measure: str) -> bool:
    family = FAMILIES.get(measure.partition("@")[0].partition("(")[0])
    return family is not None and family.aggregate == "sum"
