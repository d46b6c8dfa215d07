"""Notes: what a reader of a run should know of how it came about, counted while it does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pytest_relevance.retrievers import Hit
from pytest_relevance.retrievers.http.options import HttpOptions


class Notes:
    """What is seen in the answers of one retriever."""

    def __init__(self, name: str, options: HttpOptions) -> None:
        self._name = name
        self._ascending = options.score_order == "ascending"
        self._credentials = options.written_credentials
        self._short: list[str] = []
        self._partial = 0
        self._ranked = 0
        self._rising = 0
        self.tried_again: Counter[str] = Counter()

    def found(
        self, query_id: str, depth: int, hits: Sequence[Hit], total: int | None, at_least: bool, partial: bool = False
    ) -> None:
        """Look at one answer."""
        self._partial += partial
        if len(hits) < depth and total is not None and total > len(hits):
            there = f"at least {total}" if at_least else str(total)
            self._short.append(f"{query_id}: {len(hits)} of {depth} (the service has {there})")
        if len(hits) > 1 and hits[0].score is not None and hits[-1].score is not None:
            self._ranked += 1
            self._rising += hits[0].score < hits[-1].score

    def lines(self) -> tuple[str, ...]:
        """A line for each kind of thing that was seen."""
        lines = [
            f"{option!r} holds a literal that looks like a key: write it as ${{NAME}} and set it in the environment"
            for option in self._credentials
        ]
        if self._short:
            shown = "; ".join(self._short[:3]) + ("; …" if len(self._short) > 3 else "")
            queries = _counted(len(self._short), "query")
            lines.append(
                f"{queries} got fewer documents than were asked for though there are more: {shown}; "
                "ask for more in the request (`depth`), or set `pages`"
            )
        if self._partial:
            lines.append(
                f"{_counted(self._partial, 'answer')} with parts missing, taken as they came (`allow_partial`)"
            )
        if self._ranked and self._rising == self._ranked:
            lines.append(
                f"the scores fall from the last document to the first in every answer: score_order: "
                f"{'descending' if self._ascending else 'ascending'} may be meant"
            )
        if self.tried_again:
            causes = ", ".join(f"{kind}: {count}" for kind, count in sorted(self.tried_again.items()))
            lines.append(f"tried again: {_counted(self.tried_again.total(), 'request')} ({causes})")
        return tuple(f"{self._name}: {line}" for line in lines)


def _counted(count: int, thing: str) -> str:
    if count == 1:
        return f"1 {thing}"
    return f"{count} {thing.removesuffix('y')}ies" if thing.endswith("y") else f"{count} {thing}s"
