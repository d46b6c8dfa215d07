"""`pytest-relevance drift`: a suite is recorded from a scripted service, which then answers otherwise."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from fault_server import Asked, FaultServer, Reply

from pytest_relevance import evaluate_suite
from pytest_relevance.cli import main
from pytest_relevance.evaluate import Settings

SUITE = """suite: shop
queries:
  - {{query_id: q1, text: red, relevant: {{a: 1}}}}
  - {{query_id: q2, text: blue, relevant: {{a: 1}}}}
  - {{query_id: q3, text: green, relevant: {{a: 1}}}}
retrievers:
  live: {{type: http, url: "{url}", params: {{q: "{{{{ query.text }}}}"}}, total: total, tries: 1}}
  other: {{type: http, url: "{url}/other", params: {{q: "{{{{ query.text }}}}"}}, tries: 1}}
checks:
  - {{measure: RR@10, of: live, at_least: 0}}
"""


class Shop:
    """A service whose rankings a test changes, and its suite."""

    def __init__(self, folder: Path) -> None:
        self.rankings = {"red": "abc", "blue": "ab", "green": "a"}
        self.version = "engine/1"
        self.totals: dict[str, int] = {}
        self.broken: set[str] = set()
        self.suite = folder / "shop.relevance.yaml"
        self.recordings = folder / "recordings"
        self.server = FaultServer(self._script)

    def write(self, change: tuple[str, str] = ("", "")) -> None:
        self.suite.write_text(SUITE.format(url=self.server.url).replace(*change), encoding="utf-8")

    def record(self) -> None:
        verdicts = list(evaluate_suite(self.suite, Settings(recordings=self.recordings)))
        assert [one.outcome for one in verdicts] == ["pass"], verdicts

    def drift(self, *arguments: str) -> Result:
        command = ["drift", str(self.suite), "--recorded", str(self.recordings), *arguments]
        return CliRunner().invoke(main, command, catch_exceptions=False)

    def _script(self, asked: Asked) -> Reply:
        if asked.query in self.broken:
            return Reply({"error": "no such index"}, 400)
        hits = [{"id": doc_id} for doc_id in self.rankings[asked.query]]
        total = self.totals.get(asked.query, len(hits))
        return Reply({"hits": hits, "total": total}, headers={"Server": self.version})


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    made = Shop(tmp_path)
    with made.server:
        made.write()
        made.record()
        yield made


def files(shop: Shop) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in shop.recordings.rglob("*") if path.is_file()}


def test_a_service_that_answers_as_before_has_not_drifted(shop: Shop) -> None:
    before = files(shop)
    shop.totals["red"] = 100  # more documents in all, and the same ranking

    result = shop.drift()

    assert result.exit_code == 0, result.output
    assert result.output.splitlines()[0] == "shop  live: 3 recorded requests, all answered as they were recorded."
    assert "  service: engine/1\n" in result.output
    assert files(shop) == before


def test_changed_answers_are_listed_the_least_alike_first_and_end_with_1(shop: Shop) -> None:
    """Of a, b, c and a, x, b the overlaps are 1, 1/2, 2/3; a, b and b, a share 0, then 2 of 2."""
    shop.rankings |= {"red": "axb", "blue": "ba"}
    shop.version, shop.totals["red"] = "engine/2", 40
    before = files(shop)

    result = shop.drift()

    p = 0.9
    red = (1 - p) * (1 + 1 / 2 * p + 2 / 3 * p**2) + 2 / 3 * p**3
    blue = (1 - p) * p + p**2
    mean = (red + blue + 1) / 3
    assert result.exit_code == 1
    assert [line.split() for line in result.output.splitlines() if line.startswith("  q")] == [
        ["query", "RBO", "from", "rank", "entered", "left", "documents", "total"],
        *sorted(
            (
                ["q1", f"{red:.3f}", "2", "x", "c", "3", "3", "→", "40"],
                ["q2", f"{blue:.3f}", "1", "-", "-", "2", "2"],
            ),
            key=lambda row: row[1],
        ),
    ]
    assert f"2 of 3 recorded requests are answered otherwise now; the mean RBO of all is {mean:.3f}." in result.output
    assert "service: engine/1 then, engine/2 now" in result.output
    assert files(shop) == before


def test_json_has_all_of_it(shop: Shop) -> None:
    shop.rankings |= {"red": "axb", "blue": ""}

    found = json.loads(shop.drift("--json", "--most", "0").stdout)

    (live,) = found["retrievers"]
    assert (found["schema"], found["suite"], live["retriever"]) == (1, "shop", "live")
    assert (live["compared"], live["same"], live["engines"]) == (3, 1, {"then": ["engine/1"], "now": ["engine/1"]})
    empty, moved = live["moved"]
    assert (empty["query_id"], empty["rbo"], empty["documents"]) == ("q2", 0.0, {"then": 2, "now": 0})
    assert (moved["query_id"], moved["first_rank"], moved["entered"], moved["left"]) == ("q1", 2, ["x"], ["c"])
    assert moved["total"] == {"then": 3, "now": 3}
    assert live["recorded"]["first"].startswith("20")


def test_markdown_is_a_page_whose_text_is_no_markup(shop: Shop) -> None:
    shop.rankings |= {"red": "a|c"}

    page = shop.drift("--markdown").output

    assert page.startswith("## What shop recorded, and what its services answer now\n\n### live\n\n")
    assert "| q1 | 0.685 | 2 | \\| | b | 3 | 3 |" in page


def test_a_request_that_was_not_answered_ends_with_2_and_says_why(shop: Shop) -> None:
    shop.broken.add("blue")

    result = shop.drift()

    assert result.exit_code == 2
    assert "did not run now: q2: HTTP 400: no such index" in result.output
    assert "2 recorded requests, all answered as they were recorded." in result.output


def test_requests_that_changed_came_or_went_are_told_apart(shop: Shop) -> None:
    shop.write(("text: blue", "text: green"))
    assert "recorded of another request than is made now" not in shop.drift("--json").output
    shop.rankings["navy"] = "ab"
    shop.write(("text: blue", "text: navy"))
    changed = shop.drift()
    shop.write(("query_id: q2, text: blue", "query_id: q9, text: navy"))
    renamed = shop.drift()

    assert (changed.exit_code, renamed.exit_code) == (1, 1)
    assert "recorded of another request than is made now: q2" in changed.output
    assert "never recorded: q9" in renamed.output
    assert "recorded, and not asked any more: q2" in renamed.output


def test_only_some_are_shown_where_many_moved(shop: Shop) -> None:
    shop.rankings |= {"red": "x", "blue": "y"}

    lines = shop.drift("--most", "1").output.splitlines()

    assert lines[-1] == "  and 1 more"
    assert sum(line.startswith("  q") for line in lines) == 2


def test_what_cannot_be_used_ends_with_2(shop: Shop, tmp_path: Path) -> None:
    def told(*arguments: str) -> str:
        result = CliRunner().invoke(main, ["drift", str(shop.suite), *arguments], catch_exceptions=False)
        assert result.exit_code == 2
        return result.output

    empty = tmp_path / "empty"
    empty.mkdir()
    recorded = ("--recorded", str(shop.recordings))
    assert "has no recordings of suite 'shop'" in told("--recorded", str(empty))
    assert "has no recordings of retriever 'other'" in told(*recorded, "--retriever", "other")
    assert "unknown retriever 'liv'" in told(*recorded, "--retriever", "liv")
    assert "did you mean 'live'?" in told(*recorded, "--retriever", "liv")
    assert "does not exist" in told("--recorded", str(tmp_path / "nowhere"))
