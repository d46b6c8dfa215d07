"""Each definition has its page, and the page names the version."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_relevance.measures import FAMILIES, parse_measure, parse_overlap

PAGES = Path(__file__).resolve().parents[3] / "docs" / "measures"
ANSWERS = (
    "formula",
    "bounds",
    "gain",
    "discount",
    "unjudged",
    "ties",
    "query missing",
    "no relevant document",
    "fractional grades",
    "source",
)


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_every_family_has_a_page_that_names_its_version(name: str) -> None:
    text = (PAGES / f"{FAMILIES[name].page}.md").read_text(encoding="utf-8")

    assert f"`{name}`: version {FAMILIES[name].version}." in text


@pytest.mark.parametrize("name", ["RBO", "Jaccard", "Overlap", "Kendall", "Changed"])
def test_every_overlap_has_a_page_that_names_its_version(name: str) -> None:
    assert f"`{name}`: version {parse_overlap(name).version}." in (PAGES / "overlap.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", sorted({family.page for family in FAMILIES.values()}))
def test_every_page_answers_the_same_questions(page: str) -> None:
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8").replace("nothing to gain", "no relevant document")

    assert [answer for answer in ANSWERS if answer not in text] == []
    assert f"({page}.md)" in (PAGES / "index.md").read_text(encoding="utf-8")


def test_spellings_on_the_first_page_are_printed_as_it_says() -> None:
    rows = [line for line in (PAGES / "index.md").read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    spellings = [row.split("|")[1:3] for row in rows if row.count("|") == 3]

    assert spellings
    for written, printed in spellings:
        for spelling in written.split("`")[1::2]:
            assert f"`{parse_measure(spelling).name}`" == printed.strip()
