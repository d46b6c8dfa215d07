"""From a notation to a Measure, and to an error that says what was meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pytest_relevance.errors import Place, UsageError, nearest
from pytest_relevance.measures.families import FAMILIES
from pytest_relevance.measures.measure import Family, Measure, Settings
from pytest_relevance.measures.notation import Argument, Part, Reader, Written
from pytest_relevance.measures.parameters import PARAMETERS, Parameter, read_cutoff, read_parameter
from pytest_relevance.measures.ranking_measure import RankingFunction, RankingMeasure
from pytest_relevance.measures.spellings import ALIASES, ELSEWHERE, numbered, rewritten

_LEVEL = re.compile(r"[0-9]{1,3}(\.[0-9]{1,2}0*)?|\.[0-9]{1,2}0*")
_BY_FOLD = {name.casefold(): name for name in FAMILIES}
# ir_measures' own parameters that say what ours say otherwise; `rewritten` turns them round.
_FOREIGN = {
    "dcg": Parameter(
        lambda value: {"log2": "linear", "exp-log2": "exp"}.get(str(value)), "'log2' or 'exp-log2'", "'log2'"
    ),
    "relative": PARAMETERS["judged_only"],
}
_TAKES_FOREIGN = {"nDCG": "dcg", "P": "relative", "NumRet": "rel"}
MOST_NAMES = tuple(
    dict.fromkeys(short for family in FAMILIES.values() for short in (family.name, *family.short))
)  # canonical names, shown where a name is unknown


def parse_measure(
    text: str, *, place: Place | None = None, known: Mapping[str, RankingFunction] | None = None
) -> Measure:
    """The measure a notation names: `nDCG@10`, `p(rel=2)@5`, `nDCG-f@10`, `ndcg_cut_10`, a third party's `mine@3`.

    Letter case does not matter. `place` is where the text begins in its file. `known` holds third parties' functions.

    Raises:
        MeasureError: the name, a parameter, a value or the cutoff is none; placed at the part that is wrong.
        UsageError: a third party's measure has the name of one of ours.
    """
    reader = Reader(text, place)
    written = reader.written()
    functions = _third_parties(known or {})
    own = functions.get(written.name.text.casefold())
    if own is not None:
        return _ranking_measure(own, written, reader)
    name, at = written.name, written.at
    split = numbered(name.text, _BY_FOLD) if at is None else None
    if split and not written.arguments:
        at = Part(split[1], name.start + len(name.text) - len(split[1]))
        name = Part(split[0], name.start)
    family_name, preset = _family(name, reader, [one[0] for one in functions.values()])
    given = _given(FAMILIES[family_name], written.arguments, reader, preset)
    family_name, given = rewritten(family_name, given)
    return _measure(FAMILIES[family_name], given, at, written, reader)


def _third_parties(known: Mapping[str, RankingFunction]) -> dict[str, tuple[str, RankingFunction]]:
    for name in known:
        if name.casefold() in _BY_FOLD or name.casefold() in ALIASES:
            raise UsageError(f"measure {name!r} is built in", fix="give the measure that was added another name")
    return {name.casefold(): (name, function) for name, function in known.items()}


def _ranking_measure(own: tuple[str, RankingFunction], written: Written, reader: Reader) -> RankingMeasure:
    if written.arguments:
        key = written.arguments[0].key
        raise reader.error(f"{own[0]} takes no parameters, and {key.text!r} is one", key, "drop the brackets")
    return RankingMeasure.of(*own, cutoff=None if written.at is None else read_cutoff(written.at, reader))


def _family(name: Part, reader: Reader, others: Iterable[str]) -> tuple[str, dict[str, Any]]:
    fold = name.text.casefold()
    if fold in _BY_FOLD:
        return _BY_FOLD[fold], {}
    if fold in ALIASES:
        family, preset = ALIASES[fold]
        return family, dict(preset)
    raise reader.error(f"unknown measure {reader.text.strip()!r}", name, _instead(name, reader, [*MOST_NAMES, *others]))


def _instead(name: Part, reader: Reader, names: list[str]) -> str:
    elsewhere = ELSEWHERE.get(name.text.casefold())
    if elsewhere:
        return elsewhere
    near = nearest(name.text, [*names, *ALIASES])
    if near is None:
        return f"known are: {', '.join(names)}"
    near = near if near in names else ALIASES[near][0]
    return f"did you mean {near + reader.text[name.start + len(name.text) :].strip()!r}?"


def _given(family: Family, arguments: Iterable[Argument], reader: Reader, preset: Mapping[str, Any]) -> dict[str, Any]:
    foreign = _TAKES_FOREIGN.get(family.name)
    allowed = {key: PARAMETERS[key] for key in family.parameters}
    if foreign:
        allowed[foreign] = {**PARAMETERS, **_FOREIGN}[foreign]
    given = dict(preset)
    for argument in arguments:
        key = argument.key.text.casefold()
        if key not in allowed:
            near = nearest(key, family.parameters)
            listed = f"{family.name} takes {', '.join(family.parameters) or 'no parameters'}"
            fix = f"did you mean {near!r}? {listed}" if near else listed
            raise reader.error(f"unknown parameter {argument.key.text!r}", argument.key, fix)
        value = read_parameter(allowed[key], argument, reader)
        if preset.get(key, value) != value or (key == "dcg" and "gain" in given):
            raise reader.error(f"{key} is said twice, and not the same", argument.key, f"drop {key!r}")
        given[key] = value
    return given


def _measure(family: Family, given: dict[str, Any], at: Part | None, written: Written, reader: Reader) -> Measure:
    cutoff = None
    whole = Part(reader.text.strip(), written.name.start)
    if at is not None:
        if family.at == "none":
            raise reader.error(f"{family.name} takes no cutoff", at, f"write {family.name} without '@'")
        if family.at == "level":
            given["level"] = _level(at, reader)
        else:
            cutoff = read_cutoff(at, reader)
    settings = Settings(cutoff=cutoff, **given)
    idle = next((one for one in written.arguments if one.key.text.casefold() in family.idle(settings)), None)
    if idle is not None:
        raise reader.error(f"{idle.key.text} does nothing here", idle.key, f"drop {idle.key.text!r}")
    problem = family.check(settings)
    if problem:
        raise reader.error(f"{reader.text.strip()} {problem}", whole, "write for example " + _example(family))
    return family.measure(given, cutoff)


def _example(family: Family) -> str:
    return {"nDCG": "nDCG-m@10", "Judged": "Judged(of='cutoff')@10"}.get(family.name) or (
        f"{family.name}@0.1" if family.at == "level" else f"{family.name}@10"
    )


def _level(at: Part, reader: Reader) -> float:
    if not _LEVEL.fullmatch(at.text):
        raise reader.error(
            f"level {at.text!r} is not a number with at most two decimals", at, "write for example '@0.1'"
        )
    return float(at.text)
