"""TREC topics old and new."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_relevance.errors import DataError
from pytest_relevance.trec import read_queries

SGML = """<top>

<num> Number: 301
<title> International Organized
Crime

<desc> Description:
Identify organizations that a < b.

</top>
<top>
<num> Number: 302 </num>
<title> AT&T Polio </title>
</top>
"""
XML = """<?xml version="1.0"?>
<topics task="x">
  <!-- <topic number="0"><query>not this</query></topic> -->
  <topic number="012" type="faceted">
    <query>a &amp; b &lt; c</query>
    <question><![CDATA[what & why?]]></question>
    <subtopic number="1">one</subtopic><subtopic number="2">two</subtopic>
  </topic>
</topics>
"""


def test_the_old_form_closes_no_tags(tmp_path: Path) -> None:
    path = tmp_path / "topics.301-302"
    path.write_text(SGML, encoding="utf-8")

    queries = read_queries(path)

    assert queries.to_dict() == {"301": "International Organized Crime", "302": "AT&T Polio"}
    assert queries["301"].attributes == {"desc": "Identify organizations that a < b."}


def test_the_new_form_has_attributes_entities_and_comments(tmp_path: Path) -> None:
    path = tmp_path / "topics.xml"
    path.write_text(XML, encoding="utf-8")

    queries = read_queries(path)

    assert queries.to_dict() == {"012": "a & b < c"}
    assert queries["012"].attributes == {"type": "faceted", "question": "what & why?", "subtopic": ["one", "two"]}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("<topics>\n<topic><query>a</query></topic></topics>", ":2:1: the topic has no number"),
        ("<top>\n<num> Number: 1\n</top>", ":1:1: topic '1' has no title"),
        ("<top>\n<num> Number: 1\n<title> a\n", ":1:1: a topic is not closed"),
        ("<top><num>1<title>a</top>\n<top><num>1<title>b</top>", ":2:1: duplicate query '1': first at"),
        ("<html></html>", "the file holds no queries"),
    ],
)
def test_topics_that_cannot_be_used_are_named(tmp_path: Path, content: str, problem: str) -> None:
    path = tmp_path / "topics.txt"
    path.write_text(content, encoding="utf-8")

    with pytest.raises(DataError, match=problem):
        read_queries(path)


def test_real_topics(shared: Path) -> None:
    queries = read_queries(shared / "data/trec-covid/topics.covid-round5.xml")

    assert len(queries) == 50
    assert queries["1"].text == "coronavirus origin"
    assert queries["1"].attributes["question"] == "what is the origin of COVID-19"
