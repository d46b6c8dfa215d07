"""Pre-flight: what is wrong with the data of a suite, before anything is asked; the health and bias of judgments."""

from pytest_relevance.preflight.bias import BiasAudit, audit_bias, pairs_of
from pytest_relevance.preflight.features import feature_of
from pytest_relevance.preflight.findings import Finding
from pytest_relevance.preflight.gather import Files, gather_files, gather_suite
from pytest_relevance.preflight.health import Health, health_of
from pytest_relevance.preflight.look import look
from pytest_relevance.preflight.material import Material

__all__ = [
    "BiasAudit",
    "Files",
    "Finding",
    "Health",
    "Material",
    "audit_bias",
    "feature_of",
    "gather_files",
    "gather_suite",
    "health_of",
    "look",
    "pairs_of",
]
