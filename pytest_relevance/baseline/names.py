"""Names of suites and retrievers as names of files, on any file system, different for different names."""

from __future__ import annotations

import re
from hashlib import sha256

_LONGEST = 80  # characters: some systems take no more than 143 bytes with an ending
_PLAIN = re.compile(r"[a-z0-9_][a-z0-9_.-]*(?<![.])")
_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)


def file_name(name: str) -> str:
    """`name`, if it is plain lower case; else its plain letters and a hash, as some systems take A and a for one."""
    if len(name) <= _LONGEST and _PLAIN.fullmatch(name) and not _RESERVED.fullmatch(name):
        return name
    readable = _UNSAFE.sub("_", name)[:_LONGEST].strip(".-") or "_"
    return f"{readable}-{sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
