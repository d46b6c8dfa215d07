"""A server's keeper: runs it for as long as one of the processes that use it lives, and stops it then.

Called as `python guard.py USERS LOG COMMAND…`; USERS is a file with a process id a line. So that no server outlives
its tests, however these end, a kill included.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

LOOKS_EVERY = 0.3  # seconds
PATIENCE = 10.0  # seconds between the polite signal and the other one


def users(path: Path) -> list[int]:
    """The processes in the file that are alive."""
    try:
        lines = path.read_text(encoding="ascii").split()
    except OSError:
        return []
    return [pid for pid in map(int, lines) if _alive(pid)]


def main() -> None:
    """Start the server, and watch."""
    path, log, *command = sys.argv[1:]
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal: the tests end first, and the server after them
    with Path(log).open("wb") as output:
        server = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
    while users(Path(path)):
        try:
            server.wait(LOOKS_EVERY)
        except subprocess.TimeoutExpired:
            continue
        return
    server.terminate()
    try:
        server.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        server.kill()


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


if __name__ == "__main__":
    main()
