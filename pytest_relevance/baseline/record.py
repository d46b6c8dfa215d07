"""Baseline: a run as it was stored, with what it was made from and the values it had then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from pytest_relevance.records import Run, Values

SCHEMA = 1  # of the file


@dataclass(frozen=True)
class Origin:
    """What a run was made from and measured with. Hashes are of contents; nothing in here is secret."""

    suite: str
    retriever: str
    depth: int  # documents asked for per query
    fold: str = ""  # the rule by which documents were folded to parents when it was measured
    definitions: Mapping[str, int] = field(default_factory=dict)  # canonical measure → version of its definition
    qrels: Mapping[str, str] = field(default_factory=dict)  # judgment set → hash
    grades: Mapping[str, str] = field(default_factory=dict)  # max, relevant and gain, as the suite has them
    corpus: str = ""  # "": the suite has none
    configuration: str = ""  # of the retriever and its parts
    model: str = ""  # name and revision, where the retriever tells
    product: str = ""  # version of this package
    commit: str = ""  # of the work tree it was made in
    time: str = ""  # UTC, ISO 8601
    host: Mapping[str, str] = field(default_factory=dict)  # what can move a score: python, numpy, machine, system


class StoredQuery(NamedTuple):
    """A query as it was asked."""

    text: str
    hash: str  # of its id, text and attributes


@dataclass(frozen=True, eq=False)
class Baseline:
    """A stored run. Its values are those of the day it was stored; a comparison measures the run anew."""

    origin: Origin
    queries: Mapping[str, StoredQuery]  # by query_id, every one that was asked
    run: Run  # unfolded, with kept fields
    values: Mapping[str, Mapping[str, Values]]  # judgment set → canonical measure → values
    shown: str = ""  # the file, or REF:file, it was read from
