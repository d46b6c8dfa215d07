from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_relevance.records import Ids

law = settings(deadline=None)  # a slow machine breaks no law

ids = st.text(st.sampled_from("\0 019azé鞋👟\udc80"), max_size=20) | st.text(
    st.sampled_from("ab"), min_size=60, max_size=80
)


@law
@given(st.lists(ids, max_size=30), st.data())
def test_ids_are_ranked_by_their_bytes(texts: list[str], data: st.DataObject) -> None:
    column = Ids.of(texts)
    codes = data.draw(st.lists(st.sampled_from(range(len(texts))), max_size=40)) if texts else []

    ranks = column.sort_ranks(np.array(codes, dtype=np.int64)).tolist()

    encoded = [texts[code].encode("utf-8", "surrogatepass") for code in codes]
    assert len(ranks) == len(codes)
    assert all(
        (one < other) == (encoded[i] < encoded[j]) and (one == other) == (encoded[i] == encoded[j])
        for i, one in enumerate(ranks)
        for j, other in enumerate(ranks)
    )


@law
@given(st.lists(st.lists(ids, max_size=5), max_size=5))
def test_columns_are_joined_in_their_order(columns: list[list[str]]) -> None:
    assert list(Ids.joined([Ids.of(column) for column in columns])) == [text for column in columns for text in column]
