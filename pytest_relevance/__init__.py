"""Search-relevance regression testing for pytest: suites, measures, retrievers, verdicts."""
