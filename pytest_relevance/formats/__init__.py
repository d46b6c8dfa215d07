"""Files of other tools, one reader each."""

from pytest_relevance.formats.beir import Beir, read_beir

__all__ = ["Beir", "read_beir"]
