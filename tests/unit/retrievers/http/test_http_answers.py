"""Answers: where ids, scores, fields and totals are in the shapes that services have."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from pytest_relevance.retrievers import Hit
from pytest_relevance.retrievers.http.answers import AnswerReader, Page
from pytest_relevance.retrievers.http.failures import NotAnswered
from pytest_relevance.retrievers.http.options import HttpOptions
from pytest_relevance.retrievers.http.transport import Received


def read(answer: Any, **options: Any) -> Page:
    """One answer by these options, through its bytes."""
    content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    reader = AnswerReader(HttpOptions(url="http://h/", **options))
    return reader.page(reader.decoded(Received(200, {}, content)))


def refused(answer: Any, **options: Any) -> str:
    with pytest.raises(NotAnswered) as caught:
        read(answer, **options)
    return caught.value.reason


def test_an_integer_id_beyond_two_to_the_53_is_exact() -> None:
    page = read(b'{"hits": [{"id": 9007199254740993}, {"id": 123456789012345678901234567890}]}')

    assert [hit.doc_id for hit in page.hits] == ["9007199254740993", "123456789012345678901234567890"]


def test_ids_stay_text_as_it_was_written() -> None:
    assert [hit.doc_id for hit in read({"hits": [{"id": "007"}, {"id": " a "}]}).hits] == ["007", " a "]


@pytest.mark.parametrize("missing", [{}, {"id": None}, {"id": ""}, {"id": True}, {"id": ["x"]}])
def test_a_document_without_an_id_is_told_by_its_rank(missing: dict[str, Any]) -> None:
    assert refused({"hits": [{"id": "a"}, missing]}) == "document 2 of the answer has no id at 'id'"


def test_the_services_order_stands_and_scores_are_carried() -> None:
    page = read({"hits": [{"id": "a", "s": 1}, {"id": "b", "s": 2.5}, {"id": "c"}]}, score="s")

    assert page.hits == (Hit("a", 1.0), Hit("b", 2.5), Hit("c", None))


def test_distances_are_negated() -> None:
    page = read({"hits": [{"id": "a", "d": 0.1}, {"id": "b", "d": 0.5}]}, score="d", score_order="ascending")

    assert [hit.score for hit in page.hits] == [-0.1, -0.5]


def test_scores_may_be_text_and_endless() -> None:
    page = read({"hits": [{"id": "a", "s": "3.4985464"}, {"id": "b", "s": "-Infinity"}]}, score="s")

    assert [hit.score for hit in page.hits] == [3.4985464, -math.inf]
    assert refused({"hits": [{"id": "a", "s": "high"}]}, score="s") == "the score 'high' is not a number"


def test_paths_are_jmespath() -> None:
    answer = {"root": {"children": [{"fields": {"documentid": "id:a"}, "relevance": 2}]}}

    page = read(answer, hits="root.children[?relevance > `1`]", id="fields.documentid", score="relevance")
    assert page.hits == (Hit("id:a", 2.0),)


def test_rows_are_read_by_their_columns() -> None:
    answer = {"body": {"columns": [{"name": "_key"}, {"name": "_score"}], "records": [["d1", 3], ["d2", 1]]}}
    options = {"shape": "rows", "hits": "body.records", "id": "_key", "score": "_score"}

    assert read(answer, columns="body.columns[*].name", **options).hits == (Hit("d1", 3.0), Hit("d2", 1.0))
    assert read(answer, columns=("_key", "_score"), **options).hits == (Hit("d1", 3.0), Hit("d2", 1.0))
    assert "do not have the 1 columns" in refused(answer, columns=("_key",), **options)


def test_columns_are_read_side_by_side() -> None:
    answer = {"ids": [["d1", "d2"]], "distances": [[0.1, 0.2]], "documents": [["one", "two"]]}
    options: dict[str, Any] = {"shape": "columns", "id": "ids[0]", "score": "distances[0]"}
    page = read(answer, score_order="ascending", fields={"text": "documents[0]"}, **options)

    assert page.hits == (Hit("d1", -0.1, {"text": "one"}), Hit("d2", -0.2, {"text": "two"}))
    assert "not lists of one length" in refused({"ids": [["d1", "d2"]], "distances": [[0.1]]}, **options)


def test_a_flat_list_is_columns_by_slices() -> None:
    page = read([2, "d1", "7.5", "d2", "3"], shape="columns", id="[1::2]", score="[2::2]")

    assert page.hits == (Hit("d1", 7.5), Hit("d2", 3.0))


def test_fields_are_found_by_name_whatever_signs_are_in_it() -> None:
    answer = {"hits": [{"id": "a", "_source": {"title": "x", "@search.rank": 1, "brand": {"name": "b"}}}]}
    page = read(answer, fields=("title", "@search.rank", "brand.name", "absent"), fields_in="_source")

    assert page.hits[0].fields == {"title": "x", "@search.rank": 1, "brand.name": "b"}


def test_a_list_that_is_not_there_is_an_error_unless_nothing_was_found() -> None:
    assert refused({"results": []}) == "no list at 'hits' in the answer; its keys: results"
    assert refused({}) == "no list at 'hits' in the answer, which is empty"
    assert read({"total": 0}, total="total").hits == ()
    assert read({}, missing_hits="empty").hits == ()
    assert read({"hits": []}).hits == ()
    assert "is no list" in refused({"hits": {"a": 1}})


def test_a_capped_total_is_at_least() -> None:
    answer = {"hits": {"total": {"value": 10000, "relation": "gte"}, "hits": []}}
    page = read(answer, hits="hits.hits", total="hits.total.value", total_at_least="hits.total.relation == 'gte'")

    assert (page.total, page.at_least) == (10000, True)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        ("boom", "boom"),
        ({"reason": "r"}, "r"),
        ([{"message": "m"}], "m"),
        ({"type": "t"}, "t"),
        (True, "without words"),
        ({"error": {"root_cause": [{"reason": "deep"}]}}, "deep"),
    ],
)
def test_an_error_in_an_answer_gives_its_words(error: Any, words: str) -> None:
    assert refused({"hits": [], "error": error}, error="error") == f"the service answered with an error: {words}"


@pytest.mark.parametrize("nothing", [None, False, "", [], {}])
def test_an_empty_place_for_errors_is_none(nothing: Any) -> None:
    assert read({"hits": [], "error": nothing}, error="error").hits == ()


RSS = b"""<?xml version="1.0"?><rss xmlns:os="http://a9.com/-/spec/opensearch/1.1/"><channel>
<os:totalResults>41</os:totalResults>
<item><title>One &amp; only</title><link>/a</link><weight value="3.5"/></item>
<item><title>Two</title><link>/b</link><weight value="1"/></item></channel></rss>"""


def test_xml_is_read_by_xpath() -> None:
    page = read(
        RSS,
        format="xml",
        namespaces={"os": "http://a9.com/-/spec/opensearch/1.1/"},
        hits="/rss/channel/item",
        id="link",
        score="weight/@value",
        fields=("title",),
        total="//os:totalResults",
    )
    assert page.hits == (Hit("/a", 3.5, {"title": "One & only"}), Hit("/b", 1.0, {"title": "Two"}))
    assert page.total == 41


def test_xml_entities_of_its_own_are_refused() -> None:
    bomb = b'<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><r><item><id>&b;</id></item></r>'

    assert "declares the XML entity 'a'" in refused(bomb, format="xml", hits="item")


def test_what_is_no_xml_is_told() -> None:
    assert "the answer is not XML" in refused(b"<html><br></html>", format="xml", hits="item")
