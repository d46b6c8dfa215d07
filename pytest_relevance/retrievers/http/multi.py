"""MultiSearch: how a service takes many queries in one request, and gives their answers back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from pytest_relevance.retrievers.http.requests import Request


class MultiSearch(Protocol):
    """A preset's way to ask many at once. The requests are those that would be sent one by one."""

    def together(self, requests: Sequence[Request]) -> Request:
        """One request for all of them."""
        ...

    def apart(self, answer: Any) -> Sequence[Any]:
        """The single answers in the order of the requests, each as the service gives it when asked for one.

        Raises:
            NotAnswered: this is no answer to many.
        """
        ...
