"""Pre-flight: what is wrong with the data of a suite, found before anything is asked."""

from pytest_relevance.preflight.findings import Finding
from pytest_relevance.preflight.gather import Files, gather_files, gather_suite
from pytest_relevance.preflight.look import look
from pytest_relevance.preflight.material import Material

__all__ = ["Files", "Finding", "Material", "gather_files", "gather_suite", "look"]
