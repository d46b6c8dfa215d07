"""The corpus of a retriever that cannot do without, and the hash of what decides its rankings."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256

from pytest_relevance.errors import RetrieverError, SuiteError, suggestion
from pytest_relevance.records import Corpus
from pytest_relevance.retrievers.protocol import RetrieverContext, RetrieverEntry


def corpus_of(config: RetrieverEntry, context: RetrieverContext, fields: Sequence[str], *, does: str) -> Corpus:
    """The suite's corpus, which must be there and have the fields; `does`: what is done with them, such as "indexes".

    Raises:
        RetrieverError: the suite has no corpus.
        SuiteError: no document has one of the fields.
    """
    corpus = context.corpus
    if corpus is None:
        raise RetrieverError(
            f"retriever {config.name!r} ranks a corpus, and this suite names none",
            place=config.place,
            fix="add one to the suite, for example 'corpus: corpus.jsonl'",
        )
    for name in fields if len(corpus) else ():
        if name not in corpus.field_names:
            raise SuiteError(
                f"no document has the field {name!r} that retriever {config.name!r} {does}",
                place=config.place,
                fix=suggestion(name, corpus.field_names, label="fields of this corpus"),
            )
    return corpus


def hash_of(parts: object) -> str:
    """A short hash of what JSON can hold."""
    return sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:32]
