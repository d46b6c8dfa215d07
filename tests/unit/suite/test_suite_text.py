from __future__ import annotations

import gc
from pathlib import Path

import pytest
from suite_texts import BASE, FILE, refused, tree

from pytest_relevance.errors import SuiteError
from pytest_relevance.suite import builder, read_suite
from pytest_relevance.suite.located import NOTHING, Table, load, plain
from pytest_relevance.suite.source import source_of
from pytest_relevance.suite.syntax import Parser, PythonParser

KEYS_AND_VALUES = """\
suite: shoes
ids: [012, 1e-3, 12:30:45, 0x1F, 1_000, +1, .5, 2024-01-01]
words: [no, on, yes, off, y, n, true, False]
quoted: ['no', "a\\tb", 'it''s', "~", '']
nothing: [~, null, Null, NULL, ]
block: |
  two
  lines
folded: >-
  one
  line
nested: {a: {b: [c, {d: e}]}}
anchors: &one {x: 1, y: 2}
alias: *one
merged: {<<: *one, y: 3}
"""


@pytest.fixture(params=[Parser, PythonParser], ids=["fastest", "python"])
def _parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder, "Parser", request.param)


@pytest.mark.usefixtures("_parser")
def test_scalars_stay_as_they_were_written() -> None:
    found = plain(tree(KEYS_AND_VALUES))

    assert found["ids"] == ["012", "1e-3", "12:30:45", "0x1F", "1_000", "+1", ".5", "2024-01-01"]
    assert found["words"] == ["no", "on", "yes", "off", "y", "n", "true", "False"]
    assert found["quoted"] == ["no", "a\tb", "it's", "~", ""]
    assert found["nothing"] == [None] * 4
    assert found["block"] == "two\nlines\n"
    assert found["folded"] == "one line"
    assert found["nested"] == {"a": {"b": ["c", {"d": "e"}]}}


@pytest.mark.usefixtures("_parser")
def test_aliases_repeat_and_merge_keys_give_way_to_what_is_written() -> None:
    found = plain(tree(KEYS_AND_VALUES))

    assert found["alias"] == {"x": "1", "y": "2"}
    assert found["merged"] == {"y": "3", "x": "1"}
    assert plain(tree("{a: &a {x: 1}, b: &b {x: 2, y: 3}, c: {<<: [*a, *b]}}"))["c"] == {"x": "1", "y": "3"}
    assert plain(tree("{a: {'<<': x}}")) == {"a": {"<<": "x"}}


def test_both_parsers_give_the_same_places(monkeypatch: pytest.MonkeyPatch) -> None:
    text = KEYS_AND_VALUES + "größe: 'naïve €'\r\n東京: {ラーメン: 1, emoji: '👟', tag: !!str ~}\r\n"

    def spans() -> dict[str, tuple[int, int, int, int]]:
        return tree(text).spans | {str(key): span for key, span in _table(tree(text)["東京"]).spans.items()}

    fast = spans()
    monkeypatch.setattr(builder, "Parser", PythonParser)

    assert spans() == fast


def test_a_column_counts_characters_and_a_width_is_that_of_the_key_or_scalar() -> None:
    found = _table(tree("size: {größe: '👟x', b: [1, 22]}")["size"])

    assert str(found.key_spot("größe").place) == f"{FILE}:1:8"
    assert found.key_spot("größe").place.width == 5
    assert (found.value_spot("größe").place.column, found.value_spot("größe").place.width) == (15, 4)
    assert found.value_spot("größe").written == "👟x"


def test_an_empty_value_is_shown_at_its_key() -> None:
    found = tree("corpus:\nsuite: x\n")

    assert found["corpus"] is NOTHING
    assert str(found.value_spot("corpus").place) == f"{FILE}:1:1"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "key 'a' is there twice: lines 1 and 3"),
        ("q:\n  relevant:\n    d1: 3\n    d1: 0\n", 4, "key 'd1' is there twice: lines 3 and 4"),
        ("a: {x: 1, 'x': 2}\n", 1, "key 'x' is there twice: line 1, twice"),
        ("a: !!python/object/apply:os.system [ls]\n", 1, "tag '!!python/object/apply:os.system' is not read here"),
        ("a: !foo b\n", 1, "tag '!foo' is not read here"),
        ("a: !!int 012\n", 1, "tag '!!int' is not read here"),
        ("a: &x !!set {b}\n", 1, "tag '!!set' is not read here"),
        ("a: &x [1, *x]\n", 1, "'*x' stands inside what it refers to"),
        ("a: *nowhere\n", 1, "'*nowhere' refers to nothing above it"),
        ("a: {<<: text}\n", 1, "'<<' merges keys and values, found text"),
        ("? [a, b]\n: c\n", 1, "a key is text, found a list"),
        ("body: {{ query.text }}\n", 1, "a key is text, found keys and values"),
        ("~: x\n", 1, "a key is text, found nothing"),
        ("", 1, "no suite here"),
        ("# only a comment\n", 1, "no suite here"),
        ("---\n---\n", 1, "no suite here"),
        ("- a\n- b\n", 1, "a suite is keys and values, found a list"),
        ("just text\n", 1, "a suite is keys and values, found text"),
        ("a: 1\n---\n\nb: 2\n", 4, "a second YAML document begins here"),
        ("a: 1\n...\nb\n", 3, "something stands outside the one document"),
        ("queries:\n  - id: q1\n   query: bad indent\n", 3, "this does not fit the lines above it"),
        ("a:\n\tb: 1\n", 2, "a tab stands where the line's text begins"),
        ("a: 'open\nb: 2\n", 1, "this quote is never closed"),
        ("a: [1,\nb: 2\n", 1, "this '[' is not closed where a ']' is due"),
        ("a: {x: 1\nb: 2\n", 1, "this '{' is not closed where a '}' is due"),
        ("a: @x\n", 1, "a text cannot begin with '@'"),
        ("a:\n  b: 1\n c: 2\n", 3, "this does not fit the lines above it"),
        ("a: ]\n", 1, "a value is missing here"),
        ("a: |x\n", 1, "'|' and '>' are followed by a new line"),
        ("a: *\n", 1, "an anchor or alias needs a name"),
        ("a: !<x y\n", 1, "this is not YAML that can be read"),
        ("a: 1 # a \x1b bell\n", 1, "control character U+001B in the text"),
        ("a: x\x00y\n", 1, "control character U+0000 in the text"),
        ("a: line\u2028break\n", 1, "control character U+2028 in the text"),
        ("a: 1\n\ufeffb: 2\n", 2, "control character U+FEFF in the text"),
        ('a: "x\\0y"\n', 1, "'\\0' cannot be part of a text"),
    ],
)
@pytest.mark.usefixtures("_parser")
def test_what_cannot_be_meant_is_named_with_its_line(text: str, line: int, words: str) -> None:
    error = refused(text)

    assert words in error.problem
    assert error.place is not None
    assert error.place.line == line
    assert error.fix


@pytest.mark.usefixtures("_parser")
def test_an_unknown_escape_and_half_a_character_are_refused() -> None:
    assert "does not follow a backslash" in refused('a: "\\d+"\n').problem
    assert "character" in refused('a: "\\ud83d\\ude00"\n').problem


def test_nesting_is_limited_in_brackets_in_blocks_and_through_aliases() -> None:
    assert "too many levels" in refused("[" * 100_000).problem
    assert "more than 64 levels" in refused("a: " + "[" * 64 + "]" * 64).problem
    steps = "".join(f"a{step}: &a{step} [*a{step - 1}]\n" for step in range(1, 100))
    assert "more than 64 levels" in refused("a0: &a0 x\n" + steps).problem
    assert plain(tree("a: " + "[" * 60 + "]" * 60))["a"]


def test_a_bomb_of_aliases_is_an_error_and_not_a_hang() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{step}: &a{step} [{', '.join([f'*a{step - 1}'] * 10)}]" for step in range(1, 20)]

    error = refused("\n".join(lines))

    assert "repeat too much" in error.problem


def test_many_honest_aliases_are_no_bomb() -> None:
    lines = ["expect: &e [{first: d1}, {results: 3}]", *(f"a{step}: *e" for step in range(5000))]

    assert len(tree("\n".join(lines))) == 5001


def test_a_trailing_empty_document_and_a_byte_order_mark_are_welcome() -> None:
    assert plain(load(source_of(FILE, b"\xef\xbb\xbfa: 1\n---\n"))) == {"a": "1"}
    assert plain(tree("%YAML 1.2\n---\na: 1\n...\n")) == {"a": "1"}
    assert plain(tree("a: 1\r\nb: 2\rc: 3\n")) == {"a": "1", "b": "2", "c": "3"}


@pytest.mark.parametrize(
    ("data", "place", "words"),
    [
        ("name: Größe\n".encode("latin-1"), "1:9", "byte 0xF6 is not UTF-8 (it would be 'ö' in Windows-1252)"),
        ("a: 1\r\nb: Größe\n".encode("latin-1"), "2:6", "byte 0xF6 is not UTF-8"),
        ("name: ü€".encode()[:-1], "1:8", "is not UTF-8"),
        (b"\xef\xbb\xbfa: \xff", "1:4", "byte 0xFF is not UTF-8"),
        ("a: 1\n".encode("utf-16"), "1:1", "this file is UTF-16"),
        ("a: 1\n".encode("utf-16-le"), "1:2", "control character U+0000"),
        (b"\0" * 4096, "1:1", "this file begins with zero bytes"),
    ],
)
def test_bytes_that_are_not_utf8_are_refused_at_their_column(data: bytes, place: str, words: str) -> None:
    with pytest.raises(SuiteError) as caught:
        source_of(FILE, data)

    assert words in caught.value.problem
    assert str(caught.value.place) == f"{FILE}:{place}"
    assert caught.value.fix is not None
    assert "UTF-8" in caught.value.fix or "remove" in caught.value.fix


def test_a_file_is_utf8_whatever_the_locale_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("locale.getpreferredencoding", lambda *_: "ascii")
    file = tmp_path / FILE
    file.write_bytes((BASE.replace("red shoes", "“smart quotes” naïve Größe €") + "report: [nDCG@10]\n").encode())

    suite = read_suite(file)

    assert isinstance(suite.queries, tuple)
    assert suite.queries[0].text == "“smart quotes” naïve Größe €"


def test_a_suite_that_is_not_there_or_is_a_folder_is_an_error_of_ours(tmp_path: Path) -> None:
    for path in (tmp_path / "absent.relevance.yaml", tmp_path, tmp_path / ("x" * 5000)):
        with pytest.raises(SuiteError, match="cannot read"):
            read_suite(path)


def test_the_collector_runs_again_after_reading(tmp_path: Path) -> None:
    file = tmp_path / FILE
    file.write_text("a: [\n", encoding="utf-8")

    assert gc.isenabled()
    with pytest.raises(SuiteError):
        read_suite(file)
    assert gc.isenabled()


def test_a_problem_shows_its_line_and_carets_under_the_key() -> None:
    error = refused(BASE + "checks:\n  - measure: nDCG@10\n    at_leest: 0.42\n")

    assert str(error).splitlines()[:3] == [
        f"{FILE}:6:5: unknown key 'at_leest' in checks[0]",
        "  6 |     at_leest: 0.42",
        "    |     ^^^^^^^^",
    ]
    assert "did you mean 'at_least'?" in str(error)


def _table(value: object) -> Table:
    assert isinstance(value, Table)
    return value
