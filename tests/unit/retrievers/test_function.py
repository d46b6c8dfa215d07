from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from retriever_stand_ins import PLACE, entry, retrieve

from pytest_relevance.errors import RelevanceError, RetrieverError, SuiteError
from pytest_relevance.records import Queries, Run
from pytest_relevance.retrievers import RetrieverContext, build
from pytest_relevance.retrievers.function import FunctionKind
from pytest_relevance.runs import retrieve_run

QUERIES = {"q1": "red shoes", "q2": "green hat"}
RunOf = Callable[..., Run]


@pytest.fixture
def module(tmp_path: Path, request: pytest.FixtureRequest) -> tuple[Path, str]:
    """A folder for a suite, and a module name that no other test has used."""
    return tmp_path, "search_" + "".join(sign if sign.isalnum() else "_" for sign in request.node.name)


@pytest.fixture
def run_of(module: tuple[Path, str]) -> RunOf:
    """The run of `rank`, defined by this code in a module beside the suite."""
    folder, name = module

    def run(code: str, depth: int = 10, queries: Mapping[str, str] = QUERIES, **options: object) -> Run:
        (folder / f"{name}.py").write_text(code, encoding="utf-8")
        config = entry("function", {"function": f"{name}:rank", **options})
        return retrieve(config, queries, RetrieverContext(folder), depth)

    return run


@pytest.mark.parametrize(
    ("answer", "ranking"),
    [
        ("['d1', 'd9', 'd2']", ("d1", "d9", "d2")),
        ("('d1', 'd9')", ("d1", "d9")),
        ("(name for name in ['d1', 'd9'])", ("d1", "d9")),
        ("[('d1', 1.0), ('d9', 2.0)]", ("d9", "d1")),
        ("[['d1', 1], ['d9', 2]]", ("d9", "d1")),
        ("{'d1': 1.0, 'd9': 2.0}", ("d9", "d1")),
        ("[{'id': 'd1', 'score': 1}, {'doc_id': 'd9', 'score': 2}]", ("d9", "d1")),
        ("[{'id': 'd1'}, {'_id': 'd9'}]", ("d1", "d9")),
        ("[Hit('d1', 1.0), Hit('d9', 2.0)]", ("d9", "d1")),
        ("[('d1', np.float32(1)), ('d9', np.int64(2))]", ("d9", "d1")),
        ("[('d1', 1.0), ('d9', 1.0)]", ("d9", "d1")),
        ("[]", ()),
        ("{}", ()),
    ],
)
def test_an_answer_may_have_many_shapes(answer: str, ranking: tuple[str, ...], run_of: RunOf) -> None:
    code = f"import numpy as np\nfrom pytest_relevance.retrievers import Hit\ndef rank(query, depth): return {answer}"

    assert run_of(code).ranking("q1") == ranking


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("None", "the function returned NoneType None"),
        ("'d1'", "the function returned str 'd1'"),
        ("17", "the function returned int 17"),
        ("[1, 2]", "the function returned int 1 among its documents"),
        ("[('d1', 1.0, 'x')]", "the function returned tuple ('d1', 1.0, 'x') among its documents"),
        ("[('d1', 'high')]", "the function returned tuple ('d1', 'high')"),
        ("[(1, 2.0)]", "the function returned tuple (1, 2.0)"),
        ("{1: 2.0}", "the function returned dict {1: 2.0}"),
        ("{'ids': ['d1']}", "the function returned dict {'ids': ['d1']}"),
        ("[{'score': 2.0}]", "it has no doc_id and no id"),
        ("[{'id': 12}]", "doc_id 12 of an answer is not text"),
        ("[('d1', float('nan'))]", "score nan of document 'd1' is not a number that can be ordered"),
        ("[('d1', 1.0), ('d2', None)]", "score None of document 'd2' is not a number that can be ordered"),
        ("['d1', 'd2', 'd1']", "duplicate document 'd1': 2 times in one answer"),
        ("[{'id': 'd1', 'when': object}]", "field 'when' of document 'd1' is a type"),
        ("1 / 0", "ZeroDivisionError: division by zero (search_"),
    ],
)
def test_what_is_no_answer_fails_its_query_and_says_what_came_back(answer: str, reason: str, run_of: RunOf) -> None:
    code = f"def rank(query, depth):\n    if query.query_id == 'q2': return ['d1']\n    return {answer}"

    run = run_of(code)

    assert run.failures["q1"].startswith(reason) or reason in run.failures["q1"]
    assert run.query_ids == ("q2",)


def test_an_error_is_told_with_its_message_and_the_last_line_of_the_users_code(run_of: RunOf) -> None:
    run = run_of("def rank(query, depth):\n    return look(query)\ndef look(query):\n    return {}[query.text]\n")

    assert run.failures["q1"].startswith("KeyError: 'red shoes' (search_")
    assert run.failures["q1"].endswith(".py:4: return {}[query.text])")


def test_a_message_of_many_lines_and_of_any_length_is_told_in_one_short_line(run_of: RunOf) -> None:
    run = run_of("def rank(query, depth): raise ValueError('one\\ntwo ' + 'x' * 100_000)")

    assert run.failures["q1"].startswith("ValueError: one two xxx")
    assert len(run.failures["q1"]) < 500


def test_an_answer_that_fails_while_it_is_read_fails_its_query(run_of: RunOf) -> None:
    run = run_of("def rank(query, depth):\n    yield 'd1'\n    raise OSError('index is gone')\n")

    assert run.failures["q1"].startswith("OSError: index is gone")


def test_an_async_function_is_refused_before_it_is_called(run_of: RunOf) -> None:
    with pytest.raises(SuiteError, match="is an async function"):
        run_of("async def rank(query, depth): return []")


def test_a_function_gets_the_query_with_its_attributes_or_only_the_text(run_of: RunOf) -> None:
    assert run_of("def rank(query, depth): return [f'{query.query_id} {query.text} {depth}']").ranking("q1") == (
        "q1 red shoes 10",
    )


def test_a_function_that_asks_for_text_gets_text(run_of: RunOf) -> None:
    assert run_of("def rank(text, depth): return text.split()", argument="text").ranking("q1") == ("red", "shoes")


def test_fields_are_kept_as_json_has_them(run_of: RunOf) -> None:
    run = run_of("def rank(query, depth): return [{'id': 'd1', 'brand': 'x', 'fields': {'sizes': (1, 2)}}]")

    assert run.fields == {"d1": {"brand": "x", "sizes": [1, 2]}}


def test_an_order_that_is_given_is_kept_with_its_scores(run_of: RunOf) -> None:
    run = run_of("def rank(query, depth): return [('near', 0.1), ('far', 0.9)]", order="given")

    assert run.ranking("q1") == ("near", "far")
    assert run.scores_of("q1") == (0.1, 0.9)


def test_what_is_beyond_the_depth_is_cut(run_of: RunOf) -> None:
    assert run_of("def rank(query, depth): return {'a': 1, 'b': 3, 'c': 2}", depth=2).ranking("q1") == ("b", "c")


@pytest.mark.parametrize(
    "answers",
    ["[['d1'], ['d2']]", "(one for one in [['d1'], ['d2']])", "{'q2': ['d2'], 'q1': ['d1'], 'q3': ['d3']}"],
)
def test_a_batch_is_called_once_with_all_queries(answers: str, run_of: RunOf) -> None:
    run = run_of(f"def rank(queries, depth): assert len(queries) == 2; return {answers}", batch=True)

    assert [run.ranking(query_id) for query_id in run.query_ids] == [("d1",), ("d2",)]


def test_a_batch_that_breaks_off_fails_the_queries_that_are_left(run_of: RunOf) -> None:
    run = run_of("def rank(queries, depth):\n    yield ['d1']\n    raise OSError('gone')", batch=True)

    assert run.ranking("q1") == ("d1",)
    assert run.failures["q2"].startswith("OSError: gone")


@pytest.mark.parametrize("answers", ["[['d1']]", "{'q1': ['d1']}"])
def test_a_batch_with_too_few_answers_fails_the_others_by_name(answers: str, run_of: RunOf) -> None:
    run = run_of(f"def rank(queries, depth): return {answers}", batch=True)

    assert dict(run.failures) == {"q2": "the retriever gave no answer to it"}


def test_a_batch_with_too_many_answers_is_refused_whole(run_of: RunOf) -> None:
    with pytest.raises(RetrieverError, match="more answers than the 2 queries"):
        run_of("def rank(queries, depth): return [['d1'], ['d2'], ['d3']]", batch=True)


@pytest.mark.parametrize("answers", ["None", "'d1'", "3"])
def test_a_batch_that_is_no_list_of_answers_fails_every_query(answers: str, run_of: RunOf) -> None:
    run = run_of(f"def rank(queries, depth): return {answers}", batch=True)

    assert set(run.failures) == {"q1", "q2"}
    assert "not an answer for each query" in run.failures["q1"]


def test_a_function_may_import_what_lies_beside_it_when_it_is_called(module: tuple[Path, str], run_of: RunOf) -> None:
    folder, name = module
    (folder / f"{name}_words.py").write_text("WORD = 'd1'")
    before = list(sys.path)

    run = run_of(f"def rank(query, depth):\n    from {name}_words import WORD\n    return [WORD]")

    assert run.ranking("q1") == ("d1",)
    assert sys.path == before


def test_a_method_of_an_object_can_be_named(module: tuple[Path, str]) -> None:
    folder, name = module
    (folder / f"{name}.py").write_text("class Index:\n    def rank(self, query, depth): return ['d1']\nindex = Index()")

    run = retrieve(entry("function", {"function": f"{name}:index.rank"}), QUERIES, RetrieverContext(folder))

    assert run.ranking("q1") == ("d1",)


def refused(code: str | None, named: str, folder: Path, name: str) -> RelevanceError:
    """The located error of a suite that names this function."""
    if code is not None:
        (folder / f"{name}.py").write_text(code)
    with pytest.raises(RelevanceError) as caught:
        build(entry("function", {"function": named}), RetrieverContext(folder))
    assert caught.value.place == PLACE
    return caught.value


@pytest.mark.parametrize("named", ["rank", "search:", ":rank", ""])
def test_a_name_of_another_form_is_refused(named: str, tmp_path: Path) -> None:
    assert "not of the form package.module:callable" in refused(None, named, tmp_path, "unused").problem


def test_a_missing_function_is_named_with_the_nearest(module: tuple[Path, str]) -> None:
    folder, name = module
    error = refused("def rank_all(q, d): ...\ndef _hidden(): ...", f"{name}:rank_al", folder, name)

    assert f"{name!r} has no function 'rank_al'" in error.problem
    assert error.fix == "did you mean 'rank_all'? it has: rank_all"


def test_a_missing_module_is_named_with_the_nearest_beside_the_suite(module: tuple[Path, str]) -> None:
    folder, name = module
    error = refused("", f"{name}z:rank", folder, name)

    assert f"there is no module '{name}z'" in error.problem
    assert (error.fix or "").startswith(f"did you mean {name!r}?")


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("import not_to_be_found_anywhere", "imports 'not_to_be_found_anywhere', which is not there"),
        ("raise SystemExit(3)", "failed: SystemExit: 3 (search_"),
        ("def rank(:", "failed: SyntaxError: invalid syntax"),
        ("rank = 3", "is of type int, and"),
        ("def rank(query): ...", "takes (query), and"),
    ],
)
def test_a_module_or_function_that_cannot_be_used_is_told(code: str, problem: str, module: tuple[Path, str]) -> None:
    folder, name = module

    assert problem in refused(code, f"{name}:rank", folder, name).problem


def test_two_suites_with_a_module_of_one_name_are_told_apart(module: tuple[Path, str]) -> None:
    folder, name = module
    for place in ("one", "other"):
        (folder / place).mkdir()
        (folder / place / f"{name}.py").write_text("def rank(query, depth): return []")
    build(entry("function", {"function": f"{name}:rank"}), RetrieverContext(folder / "one"))

    with pytest.raises(SuiteError, match="is loaded already"):
        build(entry("function", {"function": f"{name}:rank"}), RetrieverContext(folder / "other"))


def test_the_fingerprint_changes_with_the_file_and_with_the_options(tmp_path: Path, module: tuple[Path, str]) -> None:
    folder, name = module
    file = folder / f"{name}.py"
    file.write_text("def rank(query, depth): return []")
    context = RetrieverContext(folder)
    plain = entry("function", {"function": f"{name}:rank"})
    first = FunctionKind().fingerprint(plain, context)

    assert FunctionKind().fingerprint(plain, context) == first
    assert FunctionKind().fingerprint(entry("function", {"function": f"{name}:rank", "batch": True}), context) != first
    file.write_text("def rank(query, depth): return ['d1']")
    assert FunctionKind().fingerprint(plain, context) != first


def test_duplicates_are_kept_at_their_best_rank_on_request(module: tuple[Path, str]) -> None:
    folder, name = module
    (folder / f"{name}.py").write_text("def rank(query, depth): return ['a', 'b', 'a']")
    retriever = build(entry("function", {"function": f"{name}:rank"}), RetrieverContext(folder))

    run = retrieve_run(retriever, Queries.from_dict(QUERIES), depth=10, duplicates="first", name="mine")

    assert run.ranking("q1") == ("a", "b")
    assert run.notes == ("mine: 2 duplicate documents dropped, best rank kept",)
