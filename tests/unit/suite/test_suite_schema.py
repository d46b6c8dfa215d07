from __future__ import annotations

from typing import Any

import jsonschema
import pytest
import yaml
from suite_texts import DATA

from pytest_relevance.suite.schema import DIALECT, json_schema
from pytest_relevance.suite.written import SuiteForm


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def example() -> dict[str, Any]:
    # As an editor reads it: 0815 becomes a number there, and the schema has to bear it.
    found = yaml.safe_load((DATA / "garden.relevance.yaml").read_bytes())
    assert isinstance(found, dict)
    return found


def problems(validator: jsonschema.Draft202012Validator, suite: dict[str, Any]) -> list[str]:
    return [str(error.json_path) for error in validator.iter_errors(suite)]


def test_every_key_of_the_grammar_is_allowed(validator: jsonschema.Draft202012Validator) -> None:
    assert problems(validator, example()) == []
    assert set(example()) == set(SuiteForm.model_fields)


def test_inline_queries_are_allowed_in_each_spelling(validator: jsonschema.Draft202012Validator) -> None:
    suite = example()
    suite["queries"] = [
        {"query_id": "q1", "text": "x", "relevant": {"d": 1.5}},
        {"id": 12, "query": True, "lang": "en"},
        {"_id": "q", "text": "${TEXT}"},
    ]
    assert problems(validator, suite) == []

    suite["queries"].append({"text": "x"})
    assert problems(validator, suite) == ["$.queries"] or problems(validator, suite)


@pytest.mark.parametrize(
    "change",
    [
        lambda suite: suite.update(chekcs=[]),
        lambda suite: suite["checks"][0].update(at_leest=1),
        lambda suite: suite["checks"][0].update(level="error"),
        lambda suite: suite["checks"][0].update(at_least="high"),
        lambda suite: suite["checks"][0].update(at_least=None),
        lambda suite: suite["checks"].append({"of": "both"}),
        lambda suite: suite["assertions"][0]["expect"].append({"frist": "x"}),
        lambda suite: suite["assertions"][0].pop("query"),
        lambda suite: suite["retrievers"].update(x={"k1": 1}),
        lambda suite: suite["slices"].update(x={"short": {"wrods": [1]}}),
        lambda suite: suite["grades"].update(gain="log"),
        lambda suite: suite.pop("retrievers"),
        lambda suite: suite.update(depth=0),
    ],
)
def test_a_slip_is_refused(validator: jsonschema.Draft202012Validator, change: Any) -> None:
    suite = example()
    change(suite)

    assert problems(validator, suite)


def test_numbers_may_come_from_the_environment_or_be_shares(validator: jsonschema.Draft202012Validator) -> None:
    suite = example()
    suite["depth"] = "${DEPTH:-10}"
    suite["checks"][0]["at_least"] = "42 %"
    suite["checks"][1]["at_least"] = "${FLOOR}"

    assert problems(validator, suite) == []


def test_the_schema_tells_its_dialect_and_describes_every_key() -> None:
    schema = json_schema()

    assert schema["$schema"] == DIALECT
    for name, form in {"the suite": schema, **schema["$defs"]}.items():
        for key, value in form["properties"].items():
            assert "description" in value or "$ref" in value, f"{name}: {key}"
