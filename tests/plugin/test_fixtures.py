"""The `relevance` fixture: searching in Python tests, batched, shared by workers, and explained when it fails."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Suite = Callable[..., None]
Asked = Callable[[], list[str]]
BODY = "report: [nDCG@10]\n"


def test_a_test_searches_and_reads_what_was_found(pytester: pytest.Pytester, suite: Suite) -> None:
    suite(BODY)
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.relevance(suite="shoes.relevance.yaml")
        def test_found(relevance):
            hits = relevance.search("blue shoes")
            assert hits.doc_ids == ["A1", "A2"]
            assert [hit.grade for hit in hits] == [1.0, 3.0]
            assert hits[1].fields["category"] == "footwear"
            assert "A2" in hits.top(2) and "A2" not in hits.top(1)
            assert hits.values("category") == {"footwear"}
            assert hits.rank_of("A2") == 2
            assert hits.measure("nDCG-f@10") == pytest.approx(0.7967, abs=1e-4)
            assert relevance.search("q1", depth=1).doc_ids == ["A1"]
            assert relevance.run().ranking("q2") == ("C1",)
        """
    )

    pytester.runpytest().assert_outcomes(passed=1)


def test_what_is_wrong_with_one_test_is_told_by_that_test_only(
    pytester: pytest.Pytester, suite: Suite, asked: Asked
) -> None:
    suite(BODY)
    pytester.makepyfile(
        """
        import pytest

        SUITE = "shoes.relevance.yaml"

        @pytest.mark.relevance(suite=SUITE, query="q1")
        def test_sound(relevance):
            assert relevance.search("q1")

        @pytest.mark.relevance(suite="boots.relevance.yaml", query="q1")
        def test_suite(relevance):
            relevance.search("q1")

        @pytest.mark.relevance(siute=SUITE, query="q1")
        def test_argument(relevance):
            relevance.search("q1")

        @pytest.mark.relevance(suite=SUITE, retriever="dead", query="q1")
        def test_retriever(relevance):
            relevance.search("q1")

        @pytest.mark.relevance(suite=SUITE, depth=0, query="q1")
        def test_depth(relevance):
            relevance.search("q1")

        @pytest.mark.relevance(suite=SUITE, query="q3")
        def test_depth_of_a_call(relevance):
            relevance.search("q3", depth=0)

        @pytest.mark.relevance(suite=SUITE, query="q3")
        def test_top(relevance):
            relevance.search("q3").top(0).all(category="footwear")
        """
    )

    result = pytester.runpytest("-p", "no:randomly")

    result.assert_outcomes(passed=1, failed=6)
    result.stdout.fnmatch_lines(
        [
            "E *there is no suite 'boots.relevance.yaml'",
            "E *@pytest.mark.relevance does not take siute",
            "E *unknown retriever 'dead' in suite 'shoes'",
            "E *@pytest.mark.relevance: depth is 0",
            "E *depth 0 is below 1",
            "E *top(0) holds no document, whatever is found",
        ]
    )
    assert asked() == ["q1", "q3"]  # together, when the first was asked


def test_what_tests_are_known_to_search_is_retrieved_together(
    pytester: pytest.Pytester, suite: Suite, asked: Asked
) -> None:
    suite(BODY)
    pytester.makepyfile(
        """
        import pytest

        pytestmark = pytest.mark.relevance(suite="shoes.relevance.yaml", retriever="live")

        @pytest.mark.parametrize("query", ["red shoes", "garden hose"])
        def test_each(relevance, query):
            assert relevance.search(query).top(1)

        @pytest.mark.relevance(queries=["q3"])
        def test_one(relevance):
            assert "A1" in relevance.search("q3")
        """
    )

    pytester.runpytest("-p", "no:randomly").assert_outcomes(passed=3)
    assert asked() == ["q1", "q2", "q3"]

    pytester.path.joinpath("asked.txt").unlink()
    pytester.runpytest_subprocess("-n", "2").assert_outcomes(passed=3)
    assert sorted(asked()) == ["q1", "q2", "q3"]


def test_a_search_nobody_announced_is_made_once(pytester: pytest.Pytester, suite: Suite, asked: Asked) -> None:
    suite(BODY)
    pytester.makepyfile(
        """
        def test_twice(relevance):
            shoes = relevance.suite("shoes.relevance.yaml")
            assert shoes.search("q1") == shoes.search("red shoes")
            assert len(shoes.search("something else")) == 0
        """
    )

    pytester.runpytest().assert_outcomes(passed=1)
    assert asked() == ["q1", "something", "else"]  # one line for each question


def test_a_failing_membership_shows_the_ranking(pytester: pytest.Pytester, suite: Suite) -> None:
    suite(BODY)
    pytester.makepyfile(
        """
        import pytest

        pytestmark = pytest.mark.relevance(suite="shoes.relevance.yaml")

        def test_in(relevance):
            assert "A2" in relevance.search("blue shoes").top(1)

        def test_values(relevance):
            assert relevance.search("red shoes").top(3).values("category") == {"footwear"}

        def test_order(relevance):
            assert relevance.search("red shoes") == relevance.search("blue shoes")
        """
    )

    result = pytester.runpytest("-p", "no:randomly")

    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines(
        [
            "*'A2' is not in the first 1 documents: it stands at rank 2",
            "*1*A1*1*red running shoes*",
            "*2*A2*3*blue running shoes*<- A2 is here",
            "*2*B1*red shoe laces*accessories*<- 'accessories' is not expected",
            "*the rankings differ at 2 of 3 ranks*",
            "*2*B1*A2*up from 3*",
        ]
    )


def test_an_unknown_retriever_is_told_without_our_internals(pytester: pytest.Pytester, suite: Suite) -> None:
    suite(BODY)
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.relevance(suite="shoes.relevance.yaml", retriever="lvie")
        def test_found(relevance):
            relevance.search("blue shoes")
        """
    )

    result = pytester.runpytest()

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*test_found*", "*relevance.search*", "*unknown retriever 'lvie' in suite 'shoes'*"])
    result.stdout.no_fnmatch_line("*searching.py*")


def test_a_missing_suite_says_where_it_was_looked_for(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_none(relevance): relevance.suite('nowhere.relevance.yaml')")

    result = pytester.runpytest()

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*there is no suite 'nowhere.relevance.yaml'*"])


def test_the_fixture_works_in_async_tests_and_under_strict_markers(pytester: pytest.Pytester, suite: Suite) -> None:
    suite(BODY)
    pytester.makepyfile(
        """
        import pytest

        @pytest.fixture
        def anyio_backend():
            return "asyncio"

        @pytest.mark.anyio
        @pytest.mark.relevance(suite="shoes.relevance.yaml")
        async def test_found(relevance):
            assert "A1" in relevance.search("red shoes")
        """
    )

    pytester.runpytest("-p", "anyio", "--strict-markers").assert_outcomes(passed=1)


def test_the_words_of_the_vocabulary_fail_with_the_ranking(pytester: pytest.Pytester, suite: Suite) -> None:
    suite(BODY)
    pytester.makepyfile(
        """
        import pytest

        pytestmark = pytest.mark.relevance(suite="shoes.relevance.yaml")

        def test_all(relevance):
            hits = relevance.search("red shoes")
            hits.top(1).all(category="footwear").contains("A1")
            hits.top(3).all(category="footwear")

        def test_value(relevance):
            relevance.search("blue shoes").measures("nDCG-f@10", at_least=1.0)
        """
    )

    result = pytester.runpytest("-p", "no:randomly")

    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        [
            '>*hits.top(3).all(category="footwear")',
            "E*'red shoes' on live: 1 of the top 3 is not category=footwear (rank 2)",
            "E*2*B1*1*red shoe laces*accessories*<- not category=footwear",
            "E*'blue shoes' on live: nDCG-f@10 is 0.797, below the 1.000 this suite expects",
        ]
    )
    result.stdout.no_fnmatch_line("*stating.py*")


def test_a_suite_is_checked_against_itself(pytester: pytest.Pytester, suite: Suite) -> None:
    suite("checks:\n  - {measure: nDCG@10, of: live, at_least: 0.5}\n")
    pytester.makepyfile(
        """
        def test_no_gate_cries_wolf(relevance):
            found = relevance.self_check("shoes.relevance.yaml", reruns=2)
            assert found.likeness["live"] == 1.0
            assert [gate.title for gate in found.gates] == ["nDCG@10"]
            assert not any(gate.too_often for gate in found.gates)
        """
    )

    pytester.runpytest().assert_outcomes(passed=1)
