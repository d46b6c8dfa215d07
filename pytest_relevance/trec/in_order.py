"""Blocks of a file worked on in a few threads, with results in the file's order and few blocks in memory."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from itertools import chain
from typing import TypeVar

Block = TypeVar("Block")
Found = TypeVar("Found")

_THREADS = 4  # more do not help: the file is read by one


def in_order(blocks: Iterator[Block], work: Callable[[Block], Found]) -> Iterator[tuple[Block, Found]]:
    """Each block and what `work` makes of it. A lone block is worked on here, where threads would cost more."""
    first, second = next(blocks, None), next(blocks, None)
    if first is not None and second is None:
        yield first, work(first)
    if first is None or second is None:
        return
    from concurrent.futures import Future, ThreadPoolExecutor

    threads = max(1, min(_THREADS, os.cpu_count() or 1))
    with ThreadPoolExecutor(threads) as pool:
        waiting: deque[tuple[Block, Future[Found]]] = deque()
        try:
            for block in chain((first, second), blocks):
                waiting.append((block, pool.submit(work, block)))
                if len(waiting) > threads:
                    done, future = waiting.popleft()
                    yield done, future.result()
            for done, future in waiting:
                yield done, future.result()
        finally:
            for _, future in waiting:
                future.cancel()
