"""Two published tables, held as data: what their texts derive from them, we derive too.

WikiQRel: Research:Offline Evaluation of Wikipedia Search, Wikimedia Meta-Wiki (2026), results table.
Q2D-Web: "Q2D-Web: A Large-Scale Benchmark for Retrieval in Agentic RAG Systems" (2026), table 3 and section 3.4.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from pytest_relevance.measures import kendall_tau_b
from pytest_relevance.stats import weighted_total

# Share of each query type in the logs, in percent; 15 % are single words, which were filtered.
SHARES = {"S": 55, "M": 25, "L": 3, "NQ": 2}

# (measure, granularity, system): S, M, L, NQ, Tot, Tot_w
WIKIQREL = {
    ("NDCG@10", "paragraph", "BM25"): (0.189, 0.219, 0.247, 0.033, 0.172, 0.196),
    ("NDCG@10", "paragraph", "Qwen3-Emb-0.6B"): (0.283, 0.306, 0.285, 0.386, 0.315, 0.292),
    ("NDCG@10", "paragraph", "EmbeddingGemma"): (0.328, 0.317, 0.317, 0.456, 0.355, 0.327),
    ("NDCG@10", "paragraph", "jina-v5-nano"): (0.326, 0.345, 0.327, 0.458, 0.364, 0.334),
    ("NDCG@10", "paragraph", "pplx-embed-v1-0.6B"): (0.279, 0.299, 0.296, 0.447, 0.331, 0.290),
    ("NDCG@10", "page", "BM25"): (0.313, 0.396, 0.404, 0.130, 0.311, 0.336),
    ("NDCG@10", "page", "Qwen3-Emb-0.6B"): (0.483, 0.528, 0.478, 0.583, 0.518, 0.498),
    ("NDCG@10", "page", "EmbeddingGemma"): (0.548, 0.536, 0.517, 0.665, 0.566, 0.546),
    ("NDCG@10", "page", "jina-v5-nano"): (0.548, 0.575, 0.533, 0.649, 0.576, 0.557),
    ("NDCG@10", "page", "pplx-embed-v1-0.6B"): (0.485, 0.561, 0.510, 0.620, 0.544, 0.511),
    ("NDCG@10", "page", "Wikipedia search"): (0.602, 0.580, 0.484, 0.448, 0.528, 0.587),
    ("BPREF", "paragraph", "BM25"): (0.200, 0.230, 0.279, 0.031, 0.185, 0.208),
    ("BPREF", "paragraph", "Qwen3-Emb-0.6B"): (0.272, 0.294, 0.281, 0.385, 0.308, 0.282),
    ("BPREF", "paragraph", "EmbeddingGemma"): (0.316, 0.319, 0.338, 0.421, 0.348, 0.320),
    ("BPREF", "paragraph", "jina-v5-nano"): (0.305, 0.323, 0.350, 0.435, 0.353, 0.315),
    ("BPREF", "paragraph", "pplx-embed-v1-0.6B"): (0.308, 0.307, 0.325, 0.421, 0.340, 0.311),
    ("BPREF", "page", "BM25"): (0.322, 0.397, 0.389, 0.131, 0.310, 0.342),
    ("BPREF", "page", "Qwen3-Emb-0.6B"): (0.438, 0.469, 0.431, 0.534, 0.468, 0.449),
    ("BPREF", "page", "EmbeddingGemma"): (0.502, 0.477, 0.485, 0.598, 0.516, 0.496),
    ("BPREF", "page", "jina-v5-nano"): (0.499, 0.505, 0.501, 0.601, 0.527, 0.503),
    ("BPREF", "page", "pplx-embed-v1-0.6B"): (0.482, 0.495, 0.479, 0.555, 0.503, 0.487),
    ("BPREF", "page", "Wikipedia search"): (0.561, 0.502, 0.428, 0.347, 0.459, 0.534),
}

# System: percent on the full corpus and on the subsampled one (F, S), under Citation, Web Ranking and Combined.
RECALL_1000 = {
    "BM25-tantivy": (60.84, 65.58, 42.50, 47.61, 45.25, 50.38),
    "EmbeddingGemma-300M": (80.10, 83.25, 58.93, 63.75, 66.24, 70.93),
    "mDenseOn": (73.72, 77.37, 52.56, 57.41, 60.09, 64.95),
    "Nemotron-3-Embed-1B": (75.64, 79.64, 54.37, 59.72, 62.44, 67.69),
    "Nemotron-3-Embed-8B": (83.14, 85.78, 61.73, 66.29, 69.33, 73.56),
    "pplx-embed-v1-0.6b": (81.85, 84.66, 62.15, 66.70, 67.91, 72.46),
    "pplx-embed-v1-4b": (85.03, 87.60, 65.73, 70.63, 70.00, 75.01),
    "Qwen3-Embedding-0.6B": (71.19, 75.56, 51.82, 57.38, 58.68, 64.37),
    "Qwen3-Embedding-4B": (76.49, 80.45, 55.60, 61.35, 62.78, 68.41),
    "Qwen3-Embedding-8B": (79.26, 82.69, 58.34, 63.64, 65.32, 70.43),
    "voyage-4-nano": (69.55, 75.18, 50.14, 57.03, 57.42, 64.37),
    "mLateOn": (74.16, 77.71, 53.12, 57.92, 61.77, 66.46),
    "pplx-embed-v1-late-0.6B": (78.64, 82.43, 58.14, 63.80, 64.20, 69.80),
}
RECALL_100 = {
    "BM25-tantivy": (32.80, 32.91, 16.97, 17.07, 18.33, 18.44),
    "EmbeddingGemma-300M": (49.69, 50.34, 25.02, 25.54, 27.70, 28.30),
    "mDenseOn": (43.17, 43.93, 21.70, 22.28, 24.20, 24.87),
    "Nemotron-3-Embed-1B": (43.15, 44.17, 21.76, 22.49, 25.15, 26.02),
    "Nemotron-3-Embed-8B": (53.33, 53.93, 26.88, 27.41, 30.32, 30.93),
    "pplx-embed-v1-0.6b": (52.14, 52.69, 27.81, 28.28, 28.62, 29.13),
    "pplx-embed-v1-4b": (56.54, 57.32, 30.28, 30.95, 30.17, 30.87),
    "Qwen3-Embedding-0.6B": (39.42, 40.14, 20.63, 21.21, 22.75, 23.43),
    "Qwen3-Embedding-4B": (43.96, 44.83, 22.33, 22.99, 25.19, 25.97),
    "Qwen3-Embedding-8B": (47.30, 48.09, 24.14, 24.73, 26.95, 27.63),
    "voyage-4-nano": (36.37, 37.89, 18.92, 19.99, 21.43, 22.69),
    "mLateOn": (44.76, 45.55, 22.55, 23.21, 26.32, 27.10),
    "pplx-embed-v1-late-0.6B": (48.44, 49.38, 25.01, 25.77, 27.34, 28.21),
}
NDCG_10 = {
    "BM25-tantivy": (7.30, 7.30, 11.45, 11.46, 29.27, 29.30),
    "EmbeddingGemma-300M": (12.21, 12.25, 17.30, 17.37, 41.95, 42.11),
    "mDenseOn": (10.08, 10.13, 15.06, 15.17, 38.87, 39.09),
    "Nemotron-3-Embed-1B": (9.69, 9.75, 14.83, 14.95, 38.84, 39.20),
    "Nemotron-3-Embed-8B": (13.17, 13.21, 18.69, 18.76, 45.65, 45.80),
    "pplx-embed-v1-0.6b": (12.52, 12.54, 19.76, 19.82, 42.73, 42.85),
    "pplx-embed-v1-4b": (14.18, 14.22, 21.29, 21.40, 44.12, 44.34),
    "Qwen3-Embedding-0.6B": (8.53, 8.57, 14.11, 14.19, 36.19, 36.40),
    "Qwen3-Embedding-4B": (9.91, 9.95, 14.97, 15.06, 38.82, 39.09),
    "Qwen3-Embedding-8B": (10.75, 10.80, 16.27, 16.36, 41.20, 41.39),
    "voyage-4-nano": (6.96, 7.06, 11.77, 12.01, 30.59, 31.38),
    "mLateOn": (10.94, 11.03, 15.51, 15.68, 41.61, 41.98),
    "pplx-embed-v1-late-0.6B": (11.88, 11.95, 17.25, 17.39, 41.77, 42.14),
}
COMBINED = 2


def column(table: Mapping[str, tuple[float, ...]], judgments: int, corpus: int) -> list[float]:
    """One column of a table: judgment set 0 to 2, corpus 0 (full) or 1 (subsampled)."""
    return [row[2 * judgments + corpus] for row in table.values()]


@pytest.mark.parametrize("row", WIKIQREL, ids=" ".join)
def test_the_weighted_total_follows_from_the_query_types_and_their_shares(row: tuple[str, str, str]) -> None:
    by_type = WIKIQREL[row][:4]

    total = weighted_total({name: np.array([value]) for name, value in zip(SHARES, by_type, strict=True)}, SHARES)

    assert total.mean == pytest.approx(WIKIQREL[row][5], abs=0.001)
    assert total.shares["S"] == pytest.approx(55 / 85)


@pytest.mark.parametrize("row", WIKIQREL, ids=" ".join)
def test_the_plain_total_counts_every_type_alike_because_each_has_150_queries(row: tuple[str, str, str]) -> None:
    assert np.mean(WIKIQREL[row][:4]) == pytest.approx(WIKIQREL[row][4], abs=0.001)


def test_traffic_weights_put_another_system_first_on_pages() -> None:
    page = {
        system: row for (measure, level, system), row in WIKIQREL.items() if (measure, level) == ("NDCG@10", "page")
    }

    assert max(page, key=lambda system: page[system][4]) == "jina-v5-nano"
    assert max(page, key=lambda system: page[system][5]) == "Wikipedia search"


def test_the_subsample_keeps_the_order_of_systems_up_to_the_one_pair_that_it_ties() -> None:
    full, sub = column(RECALL_1000, COMBINED, 0), column(RECALL_1000, COMBINED, 1)
    systems = list(RECALL_1000)

    # The text says 1.00. Printed to two decimals, two systems tie at 64.37: 77 of 78 pairs in order, one tied.
    assert kendall_tau_b(full, sub) == pytest.approx(77 / (78 * 77) ** 0.5)
    assert [systems[place] for place, value in enumerate(sub) if sub.count(value) > 1] == [
        "Qwen3-Embedding-0.6B",
        "voyage-4-nano",
    ]
    sub[systems.index("voyage-4-nano")] -= 0.001
    assert kendall_tau_b(full, sub) == pytest.approx(1.0)


def test_the_order_of_systems_is_largely_the_same_under_every_judgment_set() -> None:
    citation, web, combined = (column(RECALL_1000, judgments, 0) for judgments in range(3))

    assert kendall_tau_b(citation, combined) == pytest.approx(1.0)
    assert kendall_tau_b(citation, web) == pytest.approx(76 / 78)  # 77 pairs in order, one reversed: (77 - 1) / 78


def test_recall_on_the_subsample_is_higher_by_five_points_on_average() -> None:
    raised = np.subtract(column(RECALL_1000, COMBINED, 1), column(RECALL_1000, COMBINED, 0))

    # The text's 5.1 is the mean over the nine retrievers that made the pool; these are the thirteen of the table.
    assert raised.mean() == pytest.approx(5.1, abs=0.1)
    assert (round(float(raised.min())), round(float(raised.max()))) == (4, 7)  # "only by 4-7 points"


def test_every_recall_rises_by_two_to_seven_points_and_no_winner_changes() -> None:
    for judgments in range(3):
        full, sub = column(RECALL_1000, judgments, 0), column(RECALL_1000, judgments, 1)
        raised = np.subtract(sub, full)

        assert raised.min() > 2
        assert raised.max() < 7
        assert np.argmax(full) == np.argmax(sub) == list(RECALL_1000).index("pplx-embed-v1-4b")


def test_the_first_ranks_hardly_notice_the_subsample() -> None:
    deep, middle, top = (
        float(np.mean(np.subtract(column(table, COMBINED, 1), column(table, COMBINED, 0))))
        for table in (RECALL_1000, RECALL_100, NDCG_10)
    )

    assert (deep, middle, top) == pytest.approx((5.18, 0.70, 0.27), abs=0.005)
    assert max(NDCG_10, key=lambda system: NDCG_10[system][4]) == "Nemotron-3-Embed-8B"
