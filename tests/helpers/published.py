"""Published descriptions of search services, and presets asked with a service's answer at hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from asking import ask
from fault_server import Asked, FaultServer, Reply
from jsonschema import Draft202012Validator

from pytest_relevance.records import Run
from pytest_relevance.retrievers import BUILTIN
from pytest_relevance.retrievers.http.kind import HttpKind

TEXTS = {"q1": "red shoes", "q2": '24" {tv} \\ äöü\n2'}
VECTOR = [0.25, -0.5, 0.75]


class Description:
    """A published description, by which bodies are checked."""

    def __init__(self, path: Path) -> None:
        text = path.read_text(encoding="utf-8")
        self.document = json.loads(text) if path.suffix == ".json" else yaml.load(text, yaml.CSafeLoader)

    def request(self, path: str, body: Any) -> None:
        """Complain where this is no body for a POST to this path."""
        self.check(self._operation(path)["requestBody"]["content"]["application/json"]["schema"], body)

    def answer(self, path: str, body: Any) -> None:
        """Complain where this is no answer with status 200 of a POST to this path."""
        self.check_answer(self._operation(path)["responses"]["200"]["content"]["application/json"]["schema"], body)

    def check_answer(self, schema: Mapping[str, Any], value: Any) -> None:
        """As they are written, two descriptions refuse all answers: what may stand beside the named keys is wrong."""
        Draft202012Validator(_open({**self.document, **schema})).validate(value)

    def check(self, schema: Mapping[str, Any], value: Any) -> None:
        Draft202012Validator({**self.document, **schema}).validate(value)

    def merged(self, name: str) -> dict[str, Any]:
        """A schema put together with `allOf`, as the one it means: each part alone forbids what the others allow."""
        return {"type": "object", "properties": self._properties({"$ref": f"#/components/schemas/{name}"})}

    def _properties(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        if "$ref" in schema:
            return self._properties(self.document["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
        found = dict(schema.get("properties", {}))
        for part in schema.get("allOf", ()):
            found |= self._properties(part)
        return found

    def _operation(self, path: str) -> Mapping[str, Any]:
        operation: Mapping[str, Any] = self.document["paths"][path]["post"]
        return operation


def _open(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {key: _open(value) for key, value in schema.items() if key != "additionalProperties"}
    return [_open(one) for one in schema] if isinstance(schema, list) else schema


def described(shared: Path, name: str) -> Description:
    path = shared / "data" / "api-specs" / name
    if not path.is_file():
        pytest.skip(f"needs the published description {name}")
    return Description(path)


def asked(name: str, options: Mapping[str, Any], answer: Any, *, depth: int = 2) -> tuple[list[Asked], Run]:
    """All requests of this preset for the texts but those for vectors, and the run."""
    seen: list[Asked] = []

    def script(request: Asked) -> Reply:
        if request.path == "/v1/embeddings":
            return Reply({"data": [{"embedding": VECTOR}]})
        seen.append(request)
        return Reply(answer)

    kind = BUILTIN[name]
    assert isinstance(kind, HttpKind)
    with FaultServer(script) as server:
        filled = json.loads(json.dumps(options).replace("SERVER", server.url))
        run = ask({"url": server.url, **filled}, TEXTS, depth=depth, kind=kind.options)
    assert run.failures == {}
    return seen, run
