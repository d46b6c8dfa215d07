"""`type: dense`: documents and queries as vectors of a sentence-transformers model, each text encoded once."""

from pytest_relevance.retrievers.dense.shelves import Stored, delete, expendable, list_store, prune_store

__all__ = ["Stored", "delete", "expendable", "list_store", "prune_store"]
