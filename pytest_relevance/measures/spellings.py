"""The names other tools have for our measures: ir_measures, trec_eval, BEIR, MTEB."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from typing import Any

Spelling = tuple[str, Mapping[str, Any]]  # family, and the settings the name stands for

# Names in any letter case, beside the families' own.
ALIASES: dict[str, Spelling] = {
    "ndcg_cut": ("nDCG", {}),
    "ndcgm": ("nDCG", {"ideal": "max"}),
    "ndcg-m": ("nDCG", {"ideal": "max"}),
    "ndcgf": ("nDCG", {"judged_only": True}),
    "ndcg-f": ("nDCG", {"judged_only": True}),
    "map": ("AP", {}),
    "map_cut": ("AP", {}),
    "mrr": ("RR", {}),
    "recip_rank": ("RR", {}),
    "recall": ("R", {}),
    "set_recall": ("R", {}),
    "setr": ("R", {}),
    "precision": ("P", {}),
    "set_p": ("P", {}),
    "setp": ("P", {}),
    "hit_rate": ("Success", {}),
    "hitrate": ("Success", {}),
    "hits": ("NumRelRet", {}),
    "num_ret": ("NumRet", {}),
    "num_rel": ("NumRel", {}),
    "num_rel_ret": ("NumRelRet", {}),
    "num_q": ("NumQ", {}),
    "set_f": ("SetF", {}),
    "set_map": ("SetAP", {}),
    "set_relative_p": ("SetRelP", {}),
    "iprec_at_recall": ("IPrec", {}),
}

# Names that are asked for and are no measure of one ranking, with what to do instead.
ELSEWHERE = {
    "rbo": "it compares two runs: ask for it as an overlap",
    "jaccard": "it compares two runs: ask for it as an overlap",
    "overlap": "it compares two runs: ask for it as an overlap",
    "kendall": "it compares two runs: ask for it as an overlap",
    "gm_map": "it is a geometric mean over queries and has no value per query; use AP",
    "gm_bpref": "it is a geometric mean over queries and has no value per query; use Bpref",
    "gmap": "it is a geometric mean over queries and has no value per query; use AP",
}

# ndcg_cut_10, ndcg_cut.10, P_10, ndcg_at_10, iprec_at_recall_0.10
_NUMBERED = re.compile(r"(?P<name>[a-z][a-z_]*?)(?:_at_|[_.])(?P<at>[0-9]+(?:\.[0-9]+)?)", re.IGNORECASE)


def numbered(name: str, families: Container[str]) -> tuple[str, str] | None:
    """A name with its cutoff inside, as trec_eval and MTEB write it, cut in two; None for other names."""
    found = _NUMBERED.fullmatch(name)
    if found is None or not (found["name"].casefold() in ALIASES or found["name"].casefold() in families):
        return None
    return found["name"], found["at"]


def rewritten(family: str, given: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """ir_measures' other ways to say the same: `dcg='exp-log2'`, `NumRet(rel=1)`, `SetP(relative=True)`."""
    if family == "NumRet" and "rel" in given:
        return "NumRelRet", given
    if family == "P" and "relative" in given:
        rest = {key: value for key, value in given.items() if key != "relative"}
        return ("SetRelP" if given["relative"] else "P"), rest
    if "dcg" in given:
        rest = {key: value for key, value in given.items() if key != "dcg"}
        return family, {**rest, "gain": given["dcg"]}
    return family, given
