"""`type: mediawiki`: the search of a wiki, such as Wikipedia's, by its Action API."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field

from pytest_relevance.retrievers.http.kind import HttpKind
from pytest_relevance.retrievers.http.options import HttpOptions, Pages
from pytest_relevance.retrievers.http.presets.parts import field_names

_ALWAYS = frozenset(("ns", "title", "pageid"))  # the rest comes where srprop names it


class MediaWikiOptions(HttpOptions):
    """What is special about MediaWiki: errors inside a 200, no score, and searches of titles where not told better."""

    # url: the whole address of api.php, such as https://en.wikipedia.org/w/api.php
    namespace: tuple[int, ...] = (0,)  # 0: articles
    what: Literal["text", "title", "nearmatch"] = "text"
    hits: str = "query.search"
    id: str = "title"  # or pageid, which a renamed page keeps
    total: str | None = "query.searchinfo.totalhits"
    error: str | None = "error.info || error"
    concurrency: Annotated[int, Field(ge=1, le=256)] = 1  # what Wikimedia asks of its guests
    pages: Pages | None = Pages(by="cursor", next="continue.sroffset", size=500)

    def completed(self) -> Self:
        """The parameters of a search; those of the suite come on top."""
        kept = "|".join(name for name in field_names(self) if name not in _ALWAYS)
        asked = {
            "action": "query",
            "list": "search",
            "format": "json",
            "formatversion": "2",
            "srsearch": "{{ query.text }}",
        }
        asked |= {"srlimit": "{{ size }}", "sroffset": "{{ cursor }}", "srwhat": self.what, "srinfo": "totalhits"}
        asked |= {"srnamespace": "|".join(map(str, self.namespace)), "srprop": kept}
        return self.model_copy(update={"params": asked | self.params})


mediawiki = HttpKind("mediawiki", MediaWikiOptions)
