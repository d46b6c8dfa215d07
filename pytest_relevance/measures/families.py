"""All families of measures of one run, by name."""

from __future__ import annotations

from pytest_relevance.measures import (
    average_precision,
    bpref,
    counts,
    interpolated,
    ndcg,
    precision_recall,
    reciprocal_rank,
    trec_eval,
    user_models,
)
from pytest_relevance.measures.measure import Family

FAMILIES: dict[str, Family] = {
    family.name: family
    for module in (
        ndcg,
        precision_recall,
        interpolated,
        average_precision,
        reciprocal_rank,
        bpref,
        counts,
        user_models,
        trec_eval,
    )
    for family in module.FAMILIES
}
