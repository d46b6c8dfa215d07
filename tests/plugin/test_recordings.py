"""Recording search APIs, replaying them without a network, and telling what would be asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

SUITE = """
queries:
  - {query_id: q1, text: red shoes, relevant: {A1: 1}}
  - {query_id: q2, text: garden hose, relevant: {C1: 1}}
retrievers:
  live:
    type: http
    url: ${SEARCH_URL}/search
    headers: {X-Api-Key: "${SEARCH_KEY}"}
    params: {q: "{{ query.text }}"}
    tries: 1
checks:
  - {measure: RR@10, of: live, at_least: 0.9}
"""
ANSWERS = {"red shoes": ["A1", "B1"], "garden hose": ["C1"]}
SECRET = "sk-very-secret-token-0123456789"


class Service:
    """A search service on loopback that remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                query = parse_qs(urlsplit(self.path).query)["q"][0]
                service.asked.append(query)
                body = json.dumps({"hits": [{"id": doc_id} for doc_id in ANSWERS.get(query, [])]}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 # the base class names it
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    running = Service()
    monkeypatch.setenv("SEARCH_URL", running.url)
    monkeypatch.setenv("SEARCH_KEY", SECRET)
    yield running
    running.stop()


@pytest.fixture
def shop(pytester: pytest.Pytester) -> Path:
    path = pytester.path / "shop.relevance.yaml"
    path.write_text(SUITE, encoding="utf-8")
    return path


def test_a_recorded_suite_is_replayed_without_asking(pytester: pytest.Pytester, service: Service, shop: Path) -> None:
    pytester.runpytest_subprocess("--relevance", "--relevance-record", "rec").assert_outcomes(passed=1)
    assert sorted(service.asked) == ["garden hose", "red shoes"]
    service.stop()

    pytester.runpytest_subprocess("--relevance", "--relevance-replay", "rec").assert_outcomes(passed=1)
    pytester.runpytest_subprocess("--relevance", "--relevance-replay", "rec", "-n", "2").assert_outcomes(passed=1)

    kept = "".join(path.read_text(encoding="utf-8") for path in (pytester.path / "rec").rglob("*") if path.is_file())
    assert SECRET not in kept


def test_a_query_that_is_not_recorded_is_an_error_by_name(
    pytester: pytest.Pytester, service: Service, shop: Path
) -> None:
    pytester.runpytest_subprocess("--relevance", "--relevance-record", "rec")
    shop.write_text(SUITE.replace("garden hose", "water hose"), encoding="utf-8")

    result = pytester.runpytest_subprocess("--relevance", "--relevance-replay", "rec")

    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*live answered 1 of 2 queries; q2 did not run: not in the recordings of live*"])


def test_a_recording_that_nobody_asks_for_fails_the_session_by_name(
    pytester: pytest.Pytester, service: Service, shop: Path
) -> None:
    pytester.runpytest_subprocess("--relevance", "--relevance-record", "rec")
    shop.write_text(SUITE.replace("  - {query_id: q2, text: garden hose, relevant: {C1: 1}}\n", ""), encoding="utf-8")

    for workers in ([], ["-n", "2"]):
        result = pytester.runpytest_subprocess("--relevance", "--relevance-replay", "rec", *workers)

        result.assert_outcomes(passed=1)
        assert result.ret == pytest.ExitCode.TESTS_FAILED
        result.stdout.fnmatch_lines(["recordings of live that nobody asked for: q2*"])


def test_a_recording_goes_on_where_it_stopped(pytester: pytest.Pytester, service: Service, shop: Path) -> None:
    shop.write_text(SUITE.replace("  - {query_id: q2, text: garden hose, relevant: {C1: 1}}\n", ""), encoding="utf-8")
    pytester.runpytest_subprocess("--relevance", "--relevance-record", "rec")
    shop.write_text(SUITE, encoding="utf-8")

    pytester.runpytest_subprocess("--relevance", "--relevance-record", "rec", "--relevance-resume")

    assert service.asked == ["red shoes", "garden hose"]


def test_a_dry_run_counts_and_asks_nothing(pytester: pytest.Pytester, service: Service, shop: Path) -> None:
    result = pytester.runpytest_subprocess("--relevance", "--relevance-dry-run")

    assert result.ret == 0
    result.stdout.fnmatch_lines([f"shop  live  2 requests to {service.url}*", "in all 2 requests*"])
    assert service.asked == []


def test_a_dry_run_of_a_suite_that_cannot_run_tells_why(
    pytester: pytest.Pytester, service: Service, shop: Path
) -> None:
    shop.write_text(SUITE.replace("tries: 1", "tries: once"), encoding="utf-8")

    result = pytester.runpytest("--relevance", "--relevance-dry-run")

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: shop.relevance.yaml:11:12: retrievers.live.tries needs a *", "  fix: *"])


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--relevance-record", "a", "--relevance-replay", "b"], "say one of them"),
        (["--relevance-resume"], "say --relevance-record DIR too"),
        (["--relevance-replay", "nowhere"], "there is no folder 'nowhere'"),
        (["--relevance-dry-run", "-n", "2"], "counts in one process: leave out -n"),
    ],
)
def test_options_that_do_not_fit_together_are_usage_errors(
    pytester: pytest.Pytester, service: Service, shop: Path, arguments: list[str], why: str
) -> None:
    result = pytester.runpytest("--relevance", *arguments)

    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{why}*"])
