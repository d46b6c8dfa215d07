"""Records: the frozen nouns of the pipeline, as columns."""

from pytest_relevance.records.corpus import Corpus, StoredDocuments
from pytest_relevance.records.evaluation import Evaluation, Values
from pytest_relevance.records.ids import Ids
from pytest_relevance.records.qrels import Duplicates, Qrels
from pytest_relevance.records.queries import Queries, Query
from pytest_relevance.records.ranked import RankedGrades
from pytest_relevance.records.run import Run

__all__ = [
    "Corpus",
    "Duplicates",
    "Evaluation",
    "Ids",
    "Qrels",
    "Queries",
    "Query",
    "RankedGrades",
    "Run",
    "StoredDocuments",
    "Values",
]
