"""What asynchronous work brings, as a plain iterator: the work runs in an event loop and a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterator
from contextlib import suppress
from queue import SimpleQueue
from traceback import clear_frames
from typing import Any, Generic, TypeVar

from pytest_relevance.retrievers.http.quiet import aloud

Item = TypeVar("Item")
Put = Callable[[Item], Awaitable[None]]

MOST_WAITING = 100  # items that nobody took yet; then the work waits
_PAUSE = 0.01  # seconds


class _End:
    """The last thing a work puts, with the error that ended it."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


def streamed(work: Callable[[Put[Item]], Coroutine[Any, Any, None]]) -> Generator[Item, None, None]:
    """The items that `work` puts, as they come. Whoever stops taking them ends the work.

    It runs in a thread of its own, so that it works where an event loop is running already, as in an async test.
    """
    running = _Running(work)
    try:
        yield from running.items()
    finally:
        running.stop()


class _Running(Generic[Item]):
    def __init__(self, work: Callable[[Put[Item]], Coroutine[Any, Any, None]]) -> None:
        self._work = work
        self._ready: SimpleQueue[Item | _End] = SimpleQueue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="pytest-relevance-http", daemon=True)
        self._thread.start()

    def items(self) -> Iterator[Item]:
        while True:
            item = self._ready.get()
            if isinstance(item, _End):
                if item.error is not None:
                    raise item.error
                return
            yield item

    def stop(self) -> None:
        self._stopped = True
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop ended by itself meanwhile
                self._loop.call_soon_threadsafe(self._cancel)
        self._thread.join()

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def _run(self) -> None:
        error: BaseException | None = None
        try:
            asyncio.run(self._main())
        except asyncio.CancelledError:
            pass
        except BaseException as caught:
            clear_frames(caught.__traceback__)  # their variables hold requests, and a traceback may show variables
            error = caught
        finally:
            aloud()
            self._ready.put(_End(error))

    async def _main(self) -> None:
        self._task = asyncio.current_task()
        self._loop = asyncio.get_running_loop()  # set before the flag is read: `stop` does it the other way round
        if not self._stopped:
            await self._work(self._put)

    async def _put(self, item: Item) -> None:
        self._ready.put(item)
        while self._ready.qsize() > MOST_WAITING:
            await asyncio.sleep(_PAUSE)
