"""Ids: any text, kept to the byte, found by column."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.records import Ids

texts = st.lists(st.text(st.characters(codec="utf-8"), max_size=20), max_size=30)


def test_ids_are_text_and_stay_as_written() -> None:
    written = ["012", "12", "1e3", "no", "größe", "", "a b", "\u0301"]

    assert list(Ids.of(written)) == written


def test_an_id_is_found_at_its_first_place_or_not_at_all() -> None:
    ids = Ids.of(["a", "b", "a"])

    assert ids.find(Ids.of(["a", "c", "b", ""])).tolist() == [0, -1, 1, -1]


def test_distinct_keeps_the_order_of_first_appearance() -> None:
    distinct, codes = Ids.of(["b", "a", "b", "c"]).distinct()

    assert list(distinct) == ["b", "a", "c"]
    assert codes.tolist() == [0, 1, 0, 2]


def test_ids_that_differ_only_in_a_late_byte_differ() -> None:
    long = "x" * 1000
    distinct, codes = Ids.of([long + "1", long + "2", long + "1"]).distinct()

    assert len(distinct) == 2
    assert codes.tolist() == [0, 1, 0]


def test_an_id_that_ends_in_a_zero_byte_is_not_the_one_without() -> None:
    assert Ids.of(["a"]).find(Ids.of(["a\0"])).tolist() == [-1]


def test_two_ids_of_one_hash_are_still_told_apart() -> None:
    ids, wanted = Ids.of(["one", "two", "one"]), Ids.of(["two", "three"])
    for column in (ids, wanted):  # as if the hash were the same for everything
        column.__dict__["hashes"] = np.zeros(len(column), dtype=np.uint64)

    distinct, codes = ids.distinct()

    assert list(distinct) == ["one", "two"]
    assert codes.tolist() == [0, 1, 0]
    assert ids.find(wanted).tolist() == [1, -1]


@given(texts)
def test_packing_loses_nothing(written: list[str]) -> None:
    ids = Ids.of(written)

    assert list(ids) == written
    assert [ids[place] for place in range(len(ids))] == written
    assert list(ids[::-1]) == written[::-1]


@given(texts, texts)
def test_find_agrees_with_a_search_through_a_list(here: list[str], wanted: list[str]) -> None:
    expected = [here.index(text) if text in here else -1 for text in wanted]

    assert Ids.of(here).find(Ids.of(wanted)).tolist() == expected


@given(texts)
def test_sort_ranks_order_ids_as_their_bytes_do(written: list[str]) -> None:
    ids = Ids.of(written)
    ranks = ids.sort_ranks(np.arange(len(ids))).tolist()
    encoded = [text.encode() for text in written]

    assert ranks == [sorted(set(encoded)).index(one) for one in encoded]
