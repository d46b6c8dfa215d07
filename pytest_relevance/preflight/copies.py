"""Copies: documents that are another to the letter, ids apart."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_relevance.records import Corpus

Copies = tuple[tuple[str, ...], ...]


def copies_in(corpus: Corpus) -> Copies:
    """Groups of documents that are equal in every field and have some text, in the order of the corpus."""
    same: dict[int, list[str]] = {}
    for doc_id, fields in corpus.items():
        same.setdefault(hash(_content(fields)), []).append(doc_id)
    found: list[tuple[str, ...]] = []
    for group in same.values():
        if len(group) > 1:
            exact: dict[str, list[str]] = {}  # equal hashes are a hint only
            for doc_id in group:
                exact.setdefault(_content(corpus[doc_id]), []).append(doc_id)
            found += [tuple(one) for one in exact.values() if len(one) > 1 and has_text(corpus[one[0]])]
    return tuple(found)


def has_text(fields: Mapping[str, object]) -> bool:
    """Whether any field is a text that is not blank."""
    return any(isinstance(value, str) and value.strip() for value in fields.values())


def _content(fields: Mapping[str, object]) -> str:
    return repr(sorted(fields.items()))
