"""The names a suite defines (retrievers, judgment sets, slices, weights), and field types that take only those."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, WithJsonSchema

from pytest_relevance.errors import RelevanceError, suggestion
from pytest_relevance.measures import Measure, OverlapMeasure, RankingFunction, parse_measure, parse_overlap
from pytest_relevance.suite.forms import misfit, misfit_again
from pytest_relevance.suite.located import Nothing, Table, Tree

LONE_QRELS = "qrels"  # the name of a judgment set that has none of its own


@dataclass(frozen=True)
class Names:
    """What the keys of a suite name, looked at before anything is validated; None where nobody can tell."""

    retrievers: tuple[str, ...] | None = None
    qrels: tuple[str, ...] | None = None
    slices: Mapping[str, tuple[str, ...] | None] | None = None  # scheme → its slices, None: values of an attribute
    weights: tuple[str, ...] | None = None
    measures: Mapping[str, RankingFunction] = field(default_factory=dict)  # third parties' functions
    parsed: dict[str, Measure] = field(default_factory=dict)  # a suite repeats few notations many times


def names_of(suite: Table, measures: Mapping[str, RankingFunction]) -> Names:
    """The names in a suite's tree."""
    slices: Tree | dict[str, Tree] = suite.get("slices", {})
    return Names(
        retrievers=_keys(suite.get("retrievers")),
        qrels=_qrels(suite),
        slices={name: _keys(rules) for name, rules in slices.items()} if isinstance(slices, dict) else None,
        weights=_keys(suite.get("weights", {})),
        measures=measures,
    )


def retriever_names(info: ValidationInfo) -> tuple[str, ...]:
    """The retrievers of the suite that is being read."""
    return _names(info).retrievers or ()


def slice_schemes(info: ValidationInfo) -> tuple[str, ...] | None:
    """The schemes of slices of the suite that is being read; None where nobody can tell."""
    slices = _names(info).slices
    return None if slices is None else tuple(slices)


def _keys(tree: Tree | dict[str, Tree] | None) -> tuple[str, ...] | None:
    return tuple(tree) if isinstance(tree, dict) else None


def _qrels(suite: Table) -> tuple[str, ...]:
    written, queries = suite.get("qrels"), suite.get("queries")
    inline = isinstance(queries, list) and any(isinstance(query, dict) and "relevant" in query for query in queries)
    lone = (LONE_QRELS,) if inline or isinstance(written, str) else ()
    return lone + (tuple(written) if isinstance(written, Table) else ())


def _retriever(name: str, info: ValidationInfo) -> str:
    _known("retriever", name, _names(info).retrievers, "retrievers of this suite")
    return name


def _qrels_name(name: str, info: ValidationInfo) -> str:
    _known("judgment set", name, _names(info).qrels, "judgment sets of this suite")
    return name


def _qrels_or_each(name: str, info: ValidationInfo) -> str:
    return name if name == "each" else _qrels_name(name, info)


def _weights_name(name: str, info: ValidationInfo) -> str:
    scheme = re.sub(r"^weighted\s+by\s+", "", name.strip())
    _known("weights", scheme, _names(info).weights, "weights of this suite")
    return scheme


def _slice_scheme(name: str, info: ValidationInfo) -> str:
    _known("slices", name, slice_schemes(info), "slices of this suite")
    return name


def _slice_name(name: str, info: ValidationInfo) -> str:
    scheme, equals, value = (part.strip() for part in name.partition("="))
    if not equals or not scheme or not value:
        raise misfit("{path} needs SCHEME=SLICE, found {written}", "write for example 'type=question'")
    schemes = _names(info).slices
    _known("slices", scheme, None if schemes is None else tuple(schemes), "slices of this suite")
    _known(f"slice of {scheme}", value, (schemes or {}).get(scheme), f"slices of {scheme}")
    return f"{scheme}={value}"


def _slice_or_file(text: str, info: ValidationInfo) -> str:
    scheme, equals, _ = text.partition("=")
    known = scheme.strip() in (_names(info).slices or {})
    return _slice_name(text, info) if known or (equals and "." not in text) else text


def _measure(text: object, info: ValidationInfo) -> object:
    if not isinstance(text, str):
        return _no_notation(text, "a measure", "nDCG@10")
    names = _names(info)
    if text not in names.parsed:
        try:
            names.parsed[text] = parse_measure(text, known=names.measures)
        except RelevanceError:
            raise misfit_again(lambda place: parse_measure(text, place=place, known=names.measures)) from None
    return names.parsed[text]


def _overlap(text: object) -> object:
    if not isinstance(text, str):
        return _no_notation(text, "an overlap", "RBO(p=0.9)")
    try:
        return parse_overlap(text)
    except RelevanceError:
        raise misfit_again(lambda place: parse_overlap(text, place=place)) from None


def _no_notation(value: object, kind: str, example: str) -> object:
    if isinstance(value, dict | list):
        raise misfit(f"{{path}} needs {kind}, found {{kind}}", f"write for example {example}")
    return value


def _share(value: object) -> object:
    if isinstance(value, str) and value.rstrip().endswith("%"):
        try:
            return float(value.rstrip()[:-1]) / 100
        except ValueError:
            return value
    return value


def _known(kind: str, name: str, known: tuple[str, ...] | None, label: str) -> None:
    if known is not None and name not in known:
        hint = suggestion(name, known, label=label) if known else f"this suite has none: define {name!r} first"
        raise misfit(f"unknown {kind} {{written}} in {{owner}}", hint)


def _names(info: ValidationInfo) -> Names:
    return info.context if isinstance(info.context, Names) else Names()


def kind_tag(value: object) -> str:
    """The tag that chooses an arm by what was written: text, a list, or keys and values."""
    if isinstance(value, dict):
        return "<table>"
    if isinstance(value, list | tuple):
        return "<list>"
    return "<nothing>" if isinstance(value, Nothing) else "<text>"


def lone(value: object) -> object:
    """A text on its own as a list of one."""
    if isinstance(value, dict):
        raise misfit("{path} needs text or a list, found keys and values", "write for example [one, another]")
    return [value] if isinstance(value, str) else value


def each_once(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names without repeats, in their order."""
    return tuple(dict.fromkeys(names))


_NOTATION = {
    "type": "string",
    "pattern": "[A-Za-z]",
    "examples": ["nDCG@10", "R@100", "nDCG-f@10", "P(rel=2)@5", "Judged@10"],
}
_OVERLAP_NOTATION = {"type": "string", "pattern": "[A-Za-z]", "examples": ["RBO(p=0.9)", "Jaccard@10", "Kendall"]}
_SHARE_SCHEMA = {"anyOf": [{"type": "number"}, {"type": "string", "pattern": r"^\s*[+-]?[0-9.]+(e-?[0-9]+)?\s*%?\s*$"}]}

_LONE_SCHEMA = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}

RetrieverName: TypeAlias = Annotated[str, AfterValidator(_retriever)]
QrelsName: TypeAlias = Annotated[str, AfterValidator(_qrels_name)]
QrelsOrEach: TypeAlias = Annotated[str, AfterValidator(_qrels_or_each)]
WeightsName: TypeAlias = Annotated[str, AfterValidator(_weights_name)]
SliceScheme: TypeAlias = Annotated[str, AfterValidator(_slice_scheme)]
SliceName: TypeAlias = Annotated[str, AfterValidator(_slice_name)]
SliceOrFile: TypeAlias = Annotated[str, Field(min_length=1), AfterValidator(_slice_or_file)]
MeasureName: TypeAlias = Annotated[Measure, BeforeValidator(_measure), WithJsonSchema(_NOTATION)]
OverlapName: TypeAlias = Annotated[OverlapMeasure, BeforeValidator(_overlap), WithJsonSchema(_OVERLAP_NOTATION)]
Share: TypeAlias = Annotated[float, BeforeValidator(_share), WithJsonSchema(_SHARE_SCHEMA)]
Text: TypeAlias = Annotated[str, Field(min_length=1)]
Texts: TypeAlias = Annotated[
    tuple[Text, ...],
    Field(min_length=1),
    BeforeValidator(lone),
    AfterValidator(each_once),
    WithJsonSchema(_LONE_SCHEMA),
]
RetrieverNames: TypeAlias = Annotated[
    tuple[RetrieverName, ...],
    Field(min_length=1),
    BeforeValidator(lone),
    AfterValidator(each_once),
    WithJsonSchema(_LONE_SCHEMA),
]
