"""Report: verdicts as text for a terminal, as a table, and as JSON."""

from pytest_relevance.report.diversity import diversity_lines
from pytest_relevance.report.json import verdicts_as_json
from pytest_relevance.report.lines import lines
from pytest_relevance.report.markdown import markdown_page
from pytest_relevance.report.table import table

__all__ = ["diversity_lines", "lines", "markdown_page", "table", "verdicts_as_json"]
