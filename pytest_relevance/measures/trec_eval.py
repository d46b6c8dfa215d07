"""What trec_eval knows and is not computed here: handed to pytrec_eval, by the names ir_measures and trec_eval have.

trec_eval cuts fractional grades; these measures refuse them instead.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pytest_relevance.errors import MeasureError
from pytest_relevance.measures.lists import Lists, View
from pytest_relevance.measures.measure import Family, Settings, printed_value
from pytest_relevance.records.columns import Floats
from pytest_relevance.records.ids import Integers
from pytest_relevance.records.ranked import RankedGrades

_WIDEST = 127  # trec_eval's grades go from -127 to 127


def through_trec_eval(spell: Callable[[Settings], str]) -> Callable[[View, Settings], Floats]:
    """A definition that asks pytrec_eval for the measure `spell` names; 0.0 for a query without labels or results.

    Only where judged documents stand is known here, so documents get made-up ids: no definition looks at ids.
    """

    def compute(view: View, settings: Settings) -> Floats:
        import pytrec_eval

        name, ranked = spell(settings), view.ranked
        _refuse_fractions(ranked, settings, name)
        values = np.zeros(len(ranked.query_ids))
        # Squeezed here: trec_eval's own switch reads beyond a list that it leaves empty.
        qrels, run = _dictionaries(ranked, view.judged(judged_only=settings.judged_only))
        if run:
            evaluator = pytrec_eval.RelevanceEvaluator(qrels, {name}, relevance_level=int(settings.rel))
            for place, found in evaluator.evaluate(run).items():
                values[int(place)] = next(iter(found.values()))
        return values

    return compute


def _dictionaries(ranked: RankedGrades, seen: Lists) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Qrels and run as pytrec_eval takes them, keyed by the query's place."""
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    others, bounds = _not_retrieved(ranked)
    for place in np.flatnonzero((seen.retrieved > 0) & (np.diff(ranked.judged_offsets) > 0)).tolist():
        rows = slice(seen.offsets[place], seen.offsets[place + 1])
        judged = zip(seen.ranks[rows].tolist(), seen.grades[rows].tolist(), strict=True)
        grades = {str(rank): int(grade) for rank, grade in judged}
        left = others[bounds[place] : bounds[place + 1]].tolist()
        grades |= {f"not retrieved {number}": int(grade) for number, grade in enumerate(left)}
        # pytrec_eval crashes on a query whose grades are all below -1; a 0 that nobody retrieves changes no value.
        qrels[str(place)] = grades if max(grades.values()) >= 0 else {**grades, "not retrieved": 0}
        run[str(place)] = {str(rank): float(-rank) for rank in range(1, int(seen.retrieved[place]) + 1)}
    return qrels, run


def _not_retrieved(ranked: RankedGrades) -> tuple[Floats, Integers]:
    """The grades that no retrieved document has, by query: all of the query's less those met; and their offsets."""
    query = np.concatenate((ranked.query_of_judgment, ranked.query_of_row))
    grades = np.concatenate((ranked.judged_grades, ranked.grades))
    sign = np.repeat([1, -1], [len(ranked.judged_grades), len(ranked.grades)])
    pairs, group = np.unique(np.stack((query, grades)), axis=1, return_inverse=True)
    counts = np.zeros(pairs.shape[1], dtype=np.int64)
    np.add.at(counts, group.reshape(-1), sign)
    bounds = np.searchsorted(np.repeat(pairs[0], counts), np.arange(len(ranked.query_ids) + 1))
    return np.repeat(pairs[1], counts), bounds


def _refuse_fractions(ranked: RankedGrades, settings: Settings, name: str) -> None:
    odd = ranked.judged_grades[ranked.judged_grades != np.trunc(ranked.judged_grades)]
    wide = ranked.judged_grades[np.abs(ranked.judged_grades) > _WIDEST]
    if len(odd) or settings.rel != int(settings.rel):
        what = f"grade {printed_value(float(odd[0]))}" if len(odd) else f"rel={printed_value(settings.rel)}"
        raise MeasureError(
            f"{name} is computed by trec_eval, which takes whole grades only, and {what} is not whole",
            fix="round the grades, or use a measure that keeps fractions, such as nDCG, AP or Bpref",
        )
    if len(wide):
        raise MeasureError(
            f"{name} is computed by trec_eval, whose grades go from -{_WIDEST} to {_WIDEST}, "
            f"and grade {printed_value(float(wide[0]))} does not",
            fix="scale the grades, or use a measure computed here, such as nDCG, AP or Bpref",
        )


def _needs_level(settings: Settings) -> str | None:
    return "needs a multiple of R, for example @0.2" if settings.level is None else None


def _needs_cutoff(settings: Settings) -> str | None:
    return "needs a cutoff" if settings.cutoff is None else None


def _family(name: str, spell: Callable[[Settings], str], *parameters: str, **rest: Any) -> Family:
    return Family(
        name, through_trec_eval(spell), (*parameters, "rel", "judged_only"), page="trec-eval", **{"at": "none", **rest}
    )


def _plain(name: str) -> Callable[[Settings], str]:
    return lambda _: name


FAMILIES = (
    Family("infAP", through_trec_eval(_plain("infAP")), ("rel",), page="trec-eval", at="none"),
    _family("SetF", lambda at: "set_F" if at.beta == 1 else f"set_F_{printed_value(at.beta)}", "beta"),
    _family("SetAP", _plain("set_map")),
    _family("SetRelP", _plain("set_relative_P")),
    _family("relative_P", lambda at: f"relative_P_{at.cutoff}", at="cutoff", check=_needs_cutoff),
    _family("Rprec_mult", lambda at: f"Rprec_mult_{at.level:.2f}", at="level", check=_needs_level),
    _family("G", _plain("G")),
    _family("binG", _plain("binG")),
    _family("Rndcg", _plain("Rndcg")),
    _family("ndcg_rel", _plain("ndcg_rel")),
    _family("utility", _plain("utility"), lower=None, upper=None),
    _family("num_nonrel_judged_ret", _plain("num_nonrel_judged_ret"), upper=None, aggregate="sum"),
)
