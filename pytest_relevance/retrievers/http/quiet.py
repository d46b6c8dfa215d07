"""Silences the loggers of httpx and its parts in our own threads: they write addresses and headers, and so secrets."""

from __future__ import annotations

import logging
import threading

_ROOTS = ("httpx", "httpcore", "h11", "h2", "hpack")
_threads: set[int] = set()


class _NotOurs(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        return record.thread not in _threads


_FILTER = _NotOurs()


def quietly() -> None:
    """From now on this thread's requests are not logged; those of the program under test still are."""
    _threads.add(threading.get_ident())
    for name in [*_ROOTS, *logging.root.manager.loggerDict]:
        if name.partition(".")[0] in _ROOTS:
            logger = logging.getLogger(name)
            if _FILTER not in logger.filters:
                logger.addFilter(_FILTER)


def aloud() -> None:
    """The end of `quietly` for this thread, whose number another may get."""
    _threads.discard(threading.get_ident())
