"""The JSON Schema of suite files, made from the forms that read them, for editors."""

from __future__ import annotations

from typing import Any

from pytest_relevance.suite.written import SuiteForm

DIALECT = "https://json-schema.org/draft/2020-12/schema"

# An editor's YAML has numbers and booleans where we read text: `first: 012` and `category: no` are texts to us.
_ANY_SCALAR = ["string", "number", "boolean"]
# Every value may come from the environment.
_REFERENCE = {"type": "string", "pattern": r"\$\{"}
_NULL = {"type": "null"}
_VALUES = ("default", "examples", "enum", "const")  # keywords that hold values rather than schemas
_BY_NAME = ("properties", "$defs")  # keywords whose keys are names


def json_schema() -> dict[str, Any]:
    """The schema (draft 2020-12). It knows keys and kinds of values; names and notations are checked by reading."""
    schema = _loosened(SuiteForm.model_json_schema())
    return {"$schema": DIALECT, "title": "pytest-relevance suite", **schema}


def _loosened(node: Any) -> Any:
    """The schema as an editor needs it: no null, text in any scalar's clothes, references wherever a value stands."""
    if isinstance(node, list):
        return [_loosened(one) for one in node if one != _NULL]
    if not isinstance(node, dict):
        return node
    found = {key: _inner(key, value) for key, value in node.items() if key != "title"}
    if found.get("default", "") is None:
        del found["default"]  # pydantic's word for a key that is left out
    if len(found.get("anyOf", ())) == 1:
        found |= found.pop("anyOf")[0]
    if found.get("type") in ("number", "integer", "boolean"):
        kept = {key: found.pop(key) for key in ("description", "default", "examples") if key in found}
        return {**kept, "anyOf": [found, _REFERENCE]}
    if found.get("type") == "string" and not found.keys() & {"enum", "const", "pattern"}:
        found["type"] = _ANY_SCALAR
    return found


def _inner(key: str, value: Any) -> Any:
    if key in _VALUES:
        return value
    if key in _BY_NAME:
        return {name: _loosened(one) for name, one in value.items()}
    return _loosened(value)
