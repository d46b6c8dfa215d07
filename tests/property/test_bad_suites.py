from __future__ import annotations

import json
import random
import re
from collections import Counter
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_relevance.errors import CombinedError, RelevanceError
from pytest_relevance.suite import Suite, builder
from pytest_relevance.suite.located import load, plain
from pytest_relevance.suite.reader import suite_of
from pytest_relevance.suite.source import source_of
from pytest_relevance.suite.syntax import Parser, PythonParser

FILE = "broken.relevance.yaml"
SEEDS = [file.read_bytes() for file in sorted((Path(__file__).parents[1] / "data" / "suites").glob("*.yaml"))]
MUTANTS = 4000

# What people paste, mistype or leave over, and what YAML readers like to change.
TOKENS = [
    *(
        "~",
        "null",
        "",
        "no",
        "on",
        "012",
        "1e-3",
        "12:30:45",
        "nan",
        "inf",
        "-1",
        "0",
        "1e999",
        "9" * 400,
        "2%",
        "0x1F",
    ),
    *(
        "[]",
        "{}",
        "[",
        "]",
        "{",
        "}",
        "''",
        '"',
        "'",
        ":",
        ": ",
        "-",
        "- ",
        "#",
        " # ",
        "?",
        "? ",
        "|",
        ">",
        "|\n",
        ",",
    ),
    *("*a", "&a", "&a x", "*", "&", "<<", "<<: *a", "!!python/object:os.system", "!x", "!!str", "!", "%", "@", "`"),
    *(
        "${",
        "${UNSET_NAME}",
        "${UNSET_NAME:-x}",
        "$${",
        "\t",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        "  ",
        " ",
        "---\n",
        "\n---\n",
        "...",
    ),
    *(
        "\x00",
        "\x1b",
        "\x85",
        "\u2028",
        "\ufeff",
        "\u202e",
        "\U0001f45f",
        "é",
        "e\u0301",
        "東京",
        "\\",
        "\\x",
        '"\\ud800"',
    ),
    *(
        "/(/",
        "/a/i",
        "nDCG@10",
        "nDGC@10",
        "P@0",
        "RBO",
        "each",
        "attribute",
        "[1, [2, {a: b}]]",
        "{a: {b: c}}",
        "=",
        "a=b",
    ),
]
BYTES = [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf6", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf"]


def read(data: bytes) -> Suite:
    return suite_of(source_of(FILE, data), Path(FILE))


def outcome(data: bytes) -> str:
    """What became of these bytes; anything but a suite or errors with places inside the file fails the test."""
    problems: tuple[RelevanceError, ...] = ()
    try:
        read(data)
    except CombinedError as error:
        problems = error.problems
    except RelevanceError as error:
        problems = (error,)
    for problem in problems:
        assert_placed(problem, data)
    return "refused" if problems else "read"


def assert_placed(problem: RelevanceError, data: bytes) -> None:
    place = problem.place
    assert place is not None, problem.problem
    assert place.file == FILE
    lines = re.split("\r\n|\r|\n", data.decode("utf-8", "replace").removeprefix("\ufeff"))
    assert 1 <= place.line <= len(lines), str(problem)
    assert 1 <= place.column <= len(lines[place.line - 1]) + 1, str(problem)
    assert place.width >= 1
    assert problem.problem
    assert problem.fix, str(problem)


def mutant(seed: int) -> bytes:
    """A suite with one to three slips in it; the same for the same seed."""
    dice = random.Random(seed)
    data = dice.choice(SEEDS)
    for _ in range(dice.choice((1, 1, 2, 3))):
        data = slipped(data, dice)
    return data


def slipped(data: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(len(data) + 1)
    token = dice.choice(TOKENS).encode("utf-8", "surrogatepass")
    lines = data.splitlines(keepends=True)
    line = dice.randrange(len(lines)) if lines else 0
    words = list(re.finditer(rb"[^\s{}\[\],:]+", data))
    match dice.randrange(10):
        case 0:
            return data[:at] + token + data[at:]
        case 1:
            return data[:at] + data[at + dice.randrange(1, 12) :]
        case 2:
            return data[:at]
        case 3:
            return data[:at] + dice.choice(BYTES) + data[at:]
        case 4:
            return b"".join(lines[:line] + lines[line : line + 1] * 2 + lines[line + 1 :])
        case 5:
            return b"".join(lines[:line] + lines[line + 1 :])
        case 6:
            return b"".join([*lines[:line], b" " * dice.randrange(1, 5), *lines[line:]])
        case 7:
            return b"".join(dice.sample(lines, len(lines)))
        case _ if words:
            word = dice.choice(words)
            other = dice.choice((token, dice.choice(words).group()))
            return data[: word.start()] + other + data[word.end() :]
        case _:
            return data + token


def test_every_seed_is_read() -> None:
    assert len(SEEDS) >= 3
    assert {outcome(data) for data in SEEDS} == {"read"}


def test_thousands_of_slips_give_a_suite_or_errors_placed_in_the_file() -> None:
    counted = Counter(outcome(mutant(seed)) for seed in range(MUTANTS))

    assert counted.total() == MUTANTS
    assert counted["refused"] > MUTANTS // 2
    assert counted["read"] > MUTANTS // 20


def test_both_parsers_read_the_same_trees_and_refuse_nearly_the_same_files(monkeypatch: pytest.MonkeyPatch) -> None:
    def trees(parser: type[Any]) -> list[Any]:
        monkeypatch.setattr(builder, "Parser", parser)
        return [tree_of(mutant(seed)) for seed in range(0, MUTANTS, 10)]

    pairs = list(zip(trees(PythonParser), trees(Parser), strict=True))

    assert [pair for pair in pairs if None not in pair and pair[0] != pair[1]] == []
    # A tab behind a value or a '?' inside braces: the two read YAML's fine print differently.
    assert sum((slow is None) != (fast is None) for slow, fast in pairs) <= len(pairs) // 50


def tree_of(data: bytes) -> Any:
    try:
        return plain(load(source_of(FILE, data)))
    except RelevanceError:
        return None


GARDEN: dict[str, Any] = yaml.safe_load(SEEDS[0])
DUMPER = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def dumped(suite: object) -> bytes:
    return str(yaml.dump(suite, Dumper=DUMPER, allow_unicode=True)).encode("utf-8", "surrogatepass")


FEW = settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
scalars = st.sampled_from(TOKENS) | st.text(max_size=20) | st.integers() | st.floats() | st.booleans() | st.none()
shapes = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(scalars.map(str), inner, max_size=4),
    max_leaves=8,
)


@given(st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
@FEW
def test_any_bytes_are_refused_with_a_place(data: bytes) -> None:
    assert outcome(data) == "refused"


@given(st.sampled_from(sorted(GARDEN)), shapes)
@FEW
def test_any_shape_under_any_key_is_read_or_refused_with_a_place(key: str, shape: object) -> None:
    assert outcome(dumped(GARDEN | {key: shape})) in ("read", "refused")


@given(st.data(), shapes)
@FEW
def test_any_shape_at_any_depth_is_read_or_refused_with_a_place(data: st.DataObject, shape: object) -> None:
    suite = deepcopy(GARDEN)
    holder: Any = suite
    step: Any = data.draw(st.sampled_from(sorted(suite)))
    while isinstance(holder[step], dict | list) and holder[step] and data.draw(st.booleans()):
        holder = holder[step]
        step = data.draw(st.sampled_from(list(holder) if isinstance(holder, dict) else range(len(holder))))
    holder[step] = shape

    assert outcome(dumped(suite)) in ("read", "refused")


ids = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\u2028\u2029"), min_size=1, max_size=12
)


@given(st.dictionaries(ids.filter(lambda text: "${" not in text), ids, min_size=1, max_size=5))
@FEW
def test_a_quoted_id_is_never_changed(texts: dict[str, str]) -> None:
    queries = [{"query_id": query_id, "text": text.replace("${", "$${")} for query_id, text in texts.items()]
    data = f"queries: {json.dumps(queries, ensure_ascii=False)}\nretrievers: {{a: {{type: bm25}}}}\n"
    suite = read((data + "assertions: [{query: a, expect: [{results: 0}]}]\n").encode())

    assert isinstance(suite.queries, tuple)
    assert {query.query_id: query.text for query in suite.queries} == texts


@given(st.from_regex(r"[A-Za-z0-9_.+-][A-Za-z0-9_.:/+-]{0,12}", fullmatch=True).filter(lambda text: is_plain(text)))
@FEW
def test_a_plain_id_is_never_changed(text: str) -> None:
    assertion = f"  - query: {text}\n    expect:\n    - first: {text}\n"
    suite = read(f"queries: q.tsv\nretrievers: {{a: {{type: bm25}}}}\nassertions:\n{assertion}".encode())

    assert suite.assertions[0].query == text
    assert suite.assertions[0].expect[0].text == f"first {text}"


def is_plain(text: str) -> bool:
    """Whether YAML takes a text without quotes for a text, and not for its own signs or for nothing."""
    return not re.match(r"-$|---|\.\.\.$|-?:$", text) and not text.endswith(":") and text.lower() != "null"
