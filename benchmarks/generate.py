"""Qrels and run files of a stated shape, the same bytes for the same seed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

Variant = Literal["plain", "shuffled", "digits"]

ID_SPACE = 190_000_000  # documents a run may name
QUERIES_AT_ONCE = 500


@dataclass(frozen=True)
class Shape:
    """How large a run and its qrels are."""

    queries: int
    depth: int  # documents retrieved per query
    judged: int  # judgments per query; three quarters of them relevant, or one if there is only one
    variant: Variant = "plain"  # shuffled: rows in no order inside queries; digits: scores of 16 and 17 digits

    @classmethod
    def parse(cls, text: str) -> Shape:
        """From `20000x1000x118` or `7000x1000x1:shuffled`."""
        sizes, _, variant = text.partition(":")
        queries, depth, judged = (int(size) for size in sizes.split("x"))
        if variant not in ("", "plain", "shuffled", "digits"):
            raise ValueError(f"no variant {variant!r}: plain, shuffled or digits")
        return cls(queries, depth, judged, variant or "plain")  # type: ignore[arg-type]  # checked just above

    def __str__(self) -> str:
        return f"{self.queries}x{self.depth}x{self.judged}:{self.variant}"


def generate(shape: Shape, folder: Path, *, seed: int = 0) -> tuple[Path, Path]:
    """Write `qrels.txt` and `run.txt` for a shape into `folder`; returns their paths.

    Nine in ten judged documents are retrieved, somewhere in the ranking. Scores fall from about 40 and have four
    decimals, so that nearly every ranking of a thousand holds a few equal ones.
    """
    folder.mkdir(parents=True, exist_ok=True)
    qrels, run = folder / "qrels.txt", folder / "run.txt"
    random = np.random.default_rng(seed)
    with qrels.open("w", encoding="ascii") as judgments, run.open("w", encoding="ascii") as ranking:
        for first in range(0, shape.queries, QUERIES_AT_ONCE):
            for query in range(first, min(first + QUERIES_AT_ONCE, shape.queries)):
                query_rows, query_judgments = _query(shape, 1_000_000 + query, random)
                ranking.write(query_rows)
                judgments.write(query_judgments)
    return qrels, run


def _query(shape: Shape, query_id: int, random: np.random.Generator) -> tuple[str, str]:
    numbers = _distinct(shape.depth + shape.judged, random)
    retrieved = numbers[: shape.depth]
    inside = random.permutation(shape.depth)[: shape.judged]
    judged = np.where(random.random(len(inside)) < 0.9, retrieved[inside], numbers[shape.depth :][: len(inside)])
    relevant = max(1, shape.judged * 3 // 4)
    scores = np.sort(random.gamma(8.0, 2.5, shape.depth))[::-1]
    order = random.permutation(shape.depth) if shape.variant == "shuffled" else np.arange(shape.depth)
    width = ".4f" if shape.variant != "digits" else ""
    rows = [
        f"{query_id} Q0 d{retrieved[place]:011d} {place + 1} {float(scores[place]):{width}} bench\n"
        for place in order.tolist()
    ]
    grades = [
        f"{query_id} 0 d{number:011d} {1 + row % 3 if row < relevant else 0}\n"
        for row, number in enumerate(judged.tolist())
    ]
    return "".join(rows), "".join(grades)


def _distinct(count: int, random: np.random.Generator) -> npt.NDArray[np.int64]:
    drawn = np.unique(random.integers(0, ID_SPACE, count + count // 10 + 8))
    return random.permutation(drawn)[:count]
