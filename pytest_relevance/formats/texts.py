"""The text or the JSON of a file to convert, and the name a suite made of it gets."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from pytest_relevance.errors import DataError, Place, as_shown


def read_text(path: Path) -> str:
    """The text of a file.

    Raises:
        DataError: it cannot be read, or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        reason = (error.strerror or "unreadable").lower()
        raise DataError(f"cannot read {as_shown(str(path))}: {reason}", fix="check the path") from None
    except UnicodeDecodeError as error:
        raise DataError(f"{as_shown(str(path))}: not UTF-8 (byte {error.start})", fix="save it as UTF-8") from None


def read_json(path: Path) -> Any:
    """The JSON of a file, with numbers that are ids in it left to the reader.

    Raises:
        DataError: it is no JSON, at its place.
    """
    text = read_text(path)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line = text.split("\n")[error.lineno - 1]
        place = Place(str(path), error.lineno, error.colno, line)
        raise DataError(f"not JSON: {error.msg.lower()}", place=place, fix="mend it, or name another file") from None


def stem_of(path: Path) -> str:
    """A suite's name from a file's."""
    return re.sub(r"[^\w.-]+", "-", path.name.split(".")[0]).strip("-") or "suite"
