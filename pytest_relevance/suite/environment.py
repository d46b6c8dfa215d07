"""`${NAME}` and `${NAME:-default}` inside the texts of a suite."""

from __future__ import annotations

import os
import re

from pytest_relevance.errors import SuiteError
from pytest_relevance.suite.scalars import Reference, Text
from pytest_relevance.suite.source import Spot

# `$${` is a written `${`; a `${` that is no reference at all is an error rather than left as it is.
_REFERENCE = re.compile(r"\$\$\{|\$\{(?:([A-Za-z_][A-Za-z0-9_]*)(?::-((?:(?!\$\{)[^}])*))?\})?")
_FORMS = "write ${NAME}, ${NAME:-default}, or $${ for the two characters themselves"


def expanded(text: str, spot: Spot) -> Text:
    """`text` with its references replaced; as in a shell, `:-` also stands in for a variable that is empty.

    The result remembers what came from the environment, so that whoever uses it can keep that secret.

    Raises:
        SuiteError: a variable without a default is not set, or a reference is malformed. Values are never shown.
    """

    references: list[Reference] = []

    def replacement(match: re.Match[str]) -> str:
        if match[0] == "$${":
            return "${"
        if match[1] is None:
            raise SuiteError("cannot read this '${'", place=spot.place, fix=_FORMS)
        value = os.environ.get(match[1])
        if match[2] is not None and not value:
            return match[2]
        if value is None:
            fix = f"set {match[1]}, or give a default: ${{{match[1]}:-…}}"
            raise SuiteError(f"environment variable {match[1]} is not set", place=spot.place, fix=fix)
        references.append(Reference(match[1], value))
        return value

    replaced = _REFERENCE.sub(replacement, text)
    return Text(replaced, quoted=getattr(text, "quoted", False), references=tuple(references))
