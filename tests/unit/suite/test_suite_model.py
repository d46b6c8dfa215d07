from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field
from suite_texts import BASE, DATA, FILE, problems, read, read_more, refused, refused_more, underlined

from pytest_relevance.errors import RelevanceError, SuiteError
from pytest_relevance.suite import InlineQrels, read_suite

END = "report: [nDCG@10]\n"


def test_a_suite_is_named_by_its_key_or_by_its_file(tmp_path: Path) -> None:
    for name, stem in (
        ("shoes.relevance.yaml", "shoes"),
        ("a.b.relevance.yml", "a.b"),
        ("plain.yaml", "plain"),
        (".relevance.yaml", ".relevance.yaml"),
    ):
        file = tmp_path / name
        file.write_text(BASE + END, encoding="utf-8")
        assert read_suite(file).name == stem

    assert read("suite: 012\n" + BASE + END).name == "012"


def test_paths_begin_at_the_suites_folder(tmp_path: Path) -> None:
    file = tmp_path / FILE
    file.write_text(
        "corpus: data/corpus.jsonl\nqueries: queries.jsonl\nqrels: {a: a.txt, b: /abs/b.txt}\n"
        "retrievers: {bm25: {type: bm25}}\n" + END,
        encoding="utf-8",
    )
    suite = read_suite(str(file))

    assert suite.path == file
    assert suite.corpus == tmp_path / "data" / "corpus.jsonl"
    assert suite.queries == tmp_path / "queries.jsonl"
    assert suite.qrels == {"a": tmp_path / "a.txt", "b": Path("/abs/b.txt")}
    assert suite.default_qrels == "a"


def test_one_lone_file_of_judgments_is_named_qrels() -> None:
    suite = read("queries: q.tsv\nqrels: judged.txt\nretrievers: {bm25: {type: bm25}}\n" + END)

    assert suite.qrels == {"qrels": Path("judged.txt")}


def test_inline_queries_have_the_keys_of_a_line_of_a_queries_file() -> None:
    suite = read(
        """\
        queries:
          - {query_id: 012, text: no, lang: en, year: 2024, tags: [a, b], none: ~}
          - {id: q2, query: on}
          - {_id: q3, text: "", relevant: {d1: 1.33, 007: 1e0, no: -1}}
        retrievers: {bm25: {type: bm25}}
        report: [nDCG@10]
        """
    )

    assert isinstance(suite.queries, tuple)
    assert [(query.query_id, query.text) for query in suite.queries] == [("012", "no"), ("q2", "on"), ("q3", "")]
    assert suite.queries[0].attributes == {"lang": "en", "year": "2024", "tags": ["a", "b"], "none": None}
    judged = suite.qrels["qrels"]
    assert isinstance(judged, InlineQrels)
    assert judged.grades == {"q3": {"d1": 1.33, "007": 1.0, "no": -1.0}}


@pytest.mark.parametrize(
    ("queries", "problem"),
    [
        ("[{text: x}]", "queries[0] has no query_id"),
        ("[{query_id: x}]", "queries[0] has no text"),
        ("[{query_id: ~, text: x}]", "queries[0].query_id needs a value"),
        ("[{id: q3, query: ~}]", "queries[0].query needs a value"),
        ("[{id: q3, query: [a]}]", "queries[0].query needs text, found a list"),
        ("[{id: '', query: x}]", "queries[0].id is empty"),
        ("[{id: a, query: x, _id: b}]", "queries[0]: '_id' says again what another key says"),
        ("[{id: a, query: x, text: b}]", "queries[0]: 'query' says again what another key says"),
        ("[{id: a, query: x}, {id: a, query: y}]", "query 'a' is there twice: lines 1 and 1"),
        ("[{id: a, query: x, relevant: {d1: x}}]", "queries[0].relevant.d1 needs a number, found 'x'"),
        ("[{id: a, query: x, relevant: {d1: nan}}]", "queries[0].relevant.d1 needs a finite number, found 'nan'"),
        ("[{id: a, query: x, relevant: {d1: ~}}]", "queries[0].relevant.d1 needs a value"),
        ("[{id: a, query: x, relevant: {'': 1}}]", "a key of queries[0].relevant is empty"),
        ("[{id: a, query: x, relevant: [d1]}]", "queries[0].relevant needs keys and values, found a list"),
        ("[x]", "queries[0] needs keys and values, found 'x'"),
        ("[]", "queries is empty"),
        ("{a: b}", "queries needs text or a list, found keys and values"),
        ("~", "queries needs a value"),
    ],
)
def test_an_inline_query_that_cannot_be_meant_is_named(queries: str, problem: str) -> None:
    error = refused(f"queries: {queries}\nretrievers: {{bm25: {{type: bm25}}}}\nqrels: {{e: q.txt}}\n{END}")

    assert error.problem == problem
    assert str(error.place).startswith(f"{FILE}:1:")
    assert error.fix


def test_judgments_beside_the_queries_and_in_a_lone_file_are_one_too_many() -> None:
    assert "written at the queries and in a file too" in refused_more("qrels: q.txt\n" + END).problem
    assert "written at the queries and in a file too" in refused_more("qrels: {qrels: q.txt}\n" + END).problem
    both = read_more("qrels: {editors: q.txt}\n" + END)
    assert tuple(both.qrels) == ("qrels", "editors")


def test_grades_slices_weights_and_the_rest_are_read_as_what_they_are() -> None:
    suite = read_more(
        "grades: {max: 3, relevant: 1.5, gain: {0: 0, 1: 0.5, 2: 3}}\nweights: {type: {short: 55, question: 1e-1}}\n"
        "duplicates: first\ndepth: 50\nfold: 'before #'\n" + END
    )

    assert (suite.grades.max, suite.grades.relevant) == (3.0, 1.5)
    assert suite.grades.gain == {0.0: 0.0, 1.0: 0.5, 2.0: 3.0}
    assert suite.weights == {"type": {"short": 55.0, "question": 0.1}}
    assert (suite.duplicates, suite.depth, suite.fold) == ("first", 50, "before #")


def test_a_measure_takes_the_suites_grades_where_its_notation_leaves_them_open() -> None:
    suite = read_more("grades: {max: 3, relevant: 2, gain: exp}\nreport: [P@5, P(rel=1)@5, nDCG@10, nDCG-m@10]\n")

    names = [suite.grades.applied_to(measure).name for measure in suite.report]
    assert names[0] == "P(rel=2)@5"
    assert names[1] == "P@5"
    assert names[2] == "nDCG(gain='exp')@10"
    assert "max_grade=3" in names[3]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("repot: [P@1]", "unknown key 'repot' in this suite"),
        ("grades: {gain: log}", "grades.gain cannot be 'log'"),
        ("grades: {gain: [1]}", "grades.gain needs text or keys and values, found a list"),
        ("grades: {gain: {1: x}}", "grades.gain.1 needs a number, found 'x'"),
        ("grades: {gain: {x: 1}}", "a key of grades.gain needs a number, found 'x'"),
        ("grades: {gain: {1: 2, 1.0: 3}}", "grades.gain gives grade 1 twice"),
        ("grades: {gain: {}}", "grades.gain is empty"),
        ("grades: {max: 1, relevant: 2}", "grades: no grade can be relevant, for 'relevant' is above 'max'"),
        ("grades: {maximum: 1}", "unknown key 'maximum' in grades"),
        ("grades: 3", "grades needs keys and values, found '3'"),
        ("weights: {type: {short: 0}}", "weights.type.short must be above 0, found 0"),
        ("weights: {type: {short: -1}}", "weights.type.short must be above 0, found -1"),
        ("weights: {type: {shrot: 1}}", "weight for unknown slice 'shrot' of type"),
        ("weights: {tpye: {short: 1}}", "weights for unknown slices 'tpye'"),
        ("weights: {type: {}}", "weights.type is empty"),
        ("duplicates: last", "duplicates cannot be 'last'"),
        ("depth: 0", "depth must be at least 1, found 0"),
        ("depth: 1.5", "depth needs a whole number, found '1.5'"),
        ("depth: " + "9" * 5000, "depth needs a whole number, found '" + "9" * 60 + "…'"),
        ("report: nDCG@10", "report needs a list, found 'nDCG@10'"),
        ("report: [[P@1]]", "report[0] needs a measure, found a list"),
        ("suite: ''", "suite is empty"),
        ("suite: [a]", "suite needs text, found a list"),
        ("corpus: ~", "corpus needs a value"),
    ],
)
def test_a_key_of_a_suite_that_cannot_be_meant_is_named(text: str, problem: str) -> None:
    error = refused_more(text + "\n" + ("" if text.startswith("report") else END))

    assert error.problem == problem
    assert str(error.place).startswith(f"{FILE}:4:")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("queries: q\n", "this suite has no retrievers"),
        ("queries: q\nretrievers: {}\n", "retrievers is empty"),
        ("queries: q\nretrievers: bm25\n", "retrievers needs keys and values, found 'bm25'"),
        ("queries: q\nretrievers: {bm25: bm25}\n", "retrievers.bm25 needs keys and values, found 'bm25'"),
        ("queries: q\nretrievers: {bm25: }\n", "retrievers.bm25 needs a value"),
        ("queries: q\nretrievers: {bm25: {k1: 3}}\n", "retrievers.bm25 has no type"),
        ("queries: q\nretrievers: {'': {type: bm25}}\n", "a key of retrievers is empty"),
        ("retrievers: {bm25: {type: bm25}}\n", "this suite has no queries"),
        ("queries: q\nqrels: {}\nretrievers: {bm25: {type: bm25}}\n", "qrels is empty"),
        (
            "queries: q\nqrels: [a]\nretrievers: {bm25: {type: bm25}}\n",
            "qrels needs text or keys and values, found a list",
        ),
        ("queries: q\nqrels: {a: [b]}\nretrievers: {bm25: {type: bm25}}\n", "qrels.a needs text, found a list"),
    ],
)
def test_what_every_suite_needs_is_asked_for(text: str, problem: str) -> None:
    error = refused(text + "assertions: [{query: a, expect: [{results: 0}]}]\n")

    assert error.problem == problem
    assert error.fix


class Deep(BaseModel):
    model_config = ConfigDict(extra="forbid")

    host: str
    tries: int = 3


class Options(BaseModel):
    model_config = ConfigDict(extra="forbid")

    url: str
    size: int | None = Field(None, ge=1)
    method: Literal["get", "post"] = "get"
    deep: Deep | None = None
    many: list[Deep] = []
    by_name: dict[str, Deep] = {}
    body: object = None
    flag: bool = False
    from_: str = Field("", validation_alias="from")


def options(text: str) -> Options:
    asking = "assertions: [{query: a, expect: [{results: 0}]}]\n"
    suite = read(f"queries: q\nretrievers:\n  live: {{type: http, {text}}}\n{asking}")
    return suite.retrievers["live"].validate(Options)


def test_a_retrievers_options_are_validated_by_its_own_model() -> None:
    found = options(
        "url: 012, size: 1e1, flag: yes, from: x, body: {a: [1, ~, no]}, by_name: {x: {host: h}}".replace("1e1", "10")
    )

    assert (found.url, found.size, found.flag, found.from_) == ("012", 10, True, "x")
    assert found.body == {"a": ["1", None, "no"]}


@pytest.mark.parametrize(
    ("text", "problem", "under"),
    [
        ("ulr: x", "retrievers.live has no url", "{type: http, ulr: x}"),
        ("url: x, szie: 1", "unknown key 'szie' in retrievers.live", "szie"),
        ("url: x, size: 0", "retrievers.live.size must be at least 1, found 0", "0"),
        ("url: x, size: big", "retrievers.live.size needs a whole number, found 'big'", "big"),
        ("url: x, method: put", "retrievers.live.method cannot be 'put'", "put"),
        ("url: x, deep: {host: h, trise: 3}", "unknown key 'trise' in retrievers.live.deep", "trise"),
        ("url: x, many: [{host: h}, {tries: 3}]", "retrievers.live.many[1] has no host", "{tries: 3}"),
        ("url: x, by_name: {b: {host: h, x: 1}}", "unknown key 'x' in retrievers.live.by_name.b", "x"),
        ("url: x, flag: maybe", "retrievers.live.flag needs true or false, found 'maybe'", "maybe"),
        ("url: ~", "retrievers.live.url needs a value", "~"),
        ("url: [a]", "retrievers.live.url needs text, found a list", "[a]"),
        ("url: x, from: [a]", "retrievers.live.from needs text, found a list", "[a]"),
    ],
)
def test_wrong_options_are_named_at_their_place(text: str, problem: str, under: str) -> None:
    with pytest.raises(RelevanceError) as caught:
        options(text)

    assert problems(caught.value)[0].partition(" ")[2] == problem
    assert underlined(caught.value) == under
    assert str(caught.value.place).startswith(f"{FILE}:3:")


def test_unknown_options_suggest_the_nearest_known_one() -> None:
    with pytest.raises(SuiteError) as caught:
        options("url: x, by_name: {b: {host: h, trise: 1}}")

    assert caught.value.fix == "did you mean 'tries'? allowed here: host, tries"
    with pytest.raises(SuiteError) as caught:
        options("url: x, form: 1")
    assert caught.value.fix is not None
    assert caught.value.fix.startswith("did you mean 'from'? allowed here: url, size, method,")


def test_a_suite_with_every_key_is_read() -> None:
    suite = read_suite(DATA / "garden.relevance.yaml")

    assert suite.name == "garden"
    assert list(suite.retrievers) == ["words", "meaning", "both", "stored"]
    assert [check.of for check in suite.checks] == ["both", "both", "both", "both", "both", "words"]
    assert {name: suite.depth_for(name) for name in suite.retrievers} == dict.fromkeys(suite.retrievers, 1000)


def test_quoted_texts_and_those_of_the_environment_are_plain_texts_in_the_records(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ID", "q7")
    suite = read_more("qrels: {'a': '${ID}'}\nassertions: [{query: '${ID}', expect: [{first: 'd1'}]}]\n" + END)

    assert suite.assertions[0].query == "q7"
    assert suite.assertions[0].expect[0].text == "first d1"
    assert suite.qrels["a"] == Path("q7")
