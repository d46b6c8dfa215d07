"""`type: brave`: Brave's search of the web."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field

from pytest_relevance.retrievers.http.kind import HttpKind
from pytest_relevance.retrievers.http.options import HttpOptions, Pages, Template
from pytest_relevance.retrievers.http.presets.parts import key_header


class BraveOptions(HttpOptions):
    """What is special about Brave: neither ids nor scores, offsets that count pages, a pace by the plan.

    Its pages may overlap: a suite that asks for more than 20 documents says `duplicates: first`.
    """

    url: Template = "https://api.search.brave.com/res/v1/web/search"
    api_key: Template = ""
    hits: str = "web.results || (query && `[]`)"  # `web` is left out where nothing was found
    id: str = "url"
    error: str | None = "error || errors"
    rate: Annotated[float, Field(gt=0)] | None = 1.0  # requests a second of the smallest plan
    pages: Pages | None = Pages(by="page", first=0, size=20)  # the most it gives at once

    def completed(self) -> Self:
        """The key and the parameters of a search; those of the suite come on top."""
        asked = {"q": "{{ query.text }}", "count": "{{ size }}", "offset": "{{ page }}", "result_filter": "web"}
        headers = key_header("X-Subscription-Token", self.api_key) | self.headers
        return self.model_copy(update={"headers": headers, "params": asked | self.params})


brave = HttpKind("brave", BraveOptions)
