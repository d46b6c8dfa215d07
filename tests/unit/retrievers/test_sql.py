"""`type: sql` over SQLite's full text search, and what of it needs no database at all."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from retriever_stand_ins import entry, retrieve

from pytest_relevance.errors import RelevanceError, RetrieverError
from pytest_relevance.records import Queries, Query
from pytest_relevance.retrievers import Planning, RetrieverContext, build, fingerprint
from pytest_relevance.runs import RecordingFolder, retrieve_run
from pytest_relevance.suite import read_suite

PRODUCTS = (
    ("a", "red shoe", 9.5),
    ("b", "red shoe with red laces", 20),
    ("c", "blue shoe", 20),
    ("d", 'a hat; it\'s "odd"', None),
)
MATCH = """{{ '"' ~ query.text.replace('"', ' ').split() | join('" OR "') ~ '"' }}"""
SEARCH = (
    "select words.id, -bm25(words) as score, words.title, price from words join products on products.id = words.id "
    "where words match :match order by score desc, words.id desc limit :depth"
)

if find_spec("sqlalchemy") is None:
    pytest.skip("needs SQLAlchemy: install the extra 'sql'", allow_module_level=True)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    with closing(sqlite3.connect(tmp_path / "shop.db")) as database:
        database.execute("create table products (id text primary key, title text, price numeric)")
        database.execute("create virtual table words using fts5 (id unindexed, title)")
        database.executemany("insert into products values (?, ?, ?)", PRODUCTS)
        database.execute("insert into words select id, title from products")
        database.commit()
    return tmp_path


def options(**more: Any) -> dict[str, Any]:
    return {"url": "sqlite:///shop.db", "sql": SEARCH, "params": {"match": MATCH}, **more}


def run_of(folder: Path, queries: Mapping[str, str], *, depth: int = 10, **more: Any) -> Any:
    return retrieve(entry("sql", options(**more), name="live"), queries, RetrieverContext(folder), depth)


def own(folder: Path, match: str, depth: int = 10) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / "shop.db")) as database:
        return database.execute(SEARCH, {"match": match, "depth": depth}).fetchall()


def test_ids_order_scores_and_fields_are_the_databases_own(shop: Path) -> None:
    run = run_of(shop, {"q1": "red shoe", "q2": "hat", "q3": "kettle"}, score="score", fields=["title", "price"])

    rows = own(shop, '"red" OR "shoe"')
    assert run.failures == {}
    assert run.ranking("q1") == tuple(row[0] for row in rows)
    assert len(rows) == 3
    assert list(run.scores_of("q1")) == pytest.approx([row[1] for row in rows])
    assert run.fields["b"] == {"title": "red shoe with red laces", "price": 20}
    assert run.fields["d"]["price"] is None
    assert run.ranking("q3") == ()
    assert set(run.seconds) == {"q1", "q2", "q3"}


def test_no_more_rows_are_read_than_are_wanted(shop: Path) -> None:
    everything = "select id, title from products order by id"
    assert run_of(shop, {"q1": "x"}, depth=2, sql=everything).ranking("q1") == ("a", "b")


@pytest.mark.parametrize(
    "text", ["'; drop table products; --", '" OR 1=1', "red :depth", "%", "\\", "{{ query.query_id }}", "é\x00\ud800"]
)
def test_no_text_becomes_part_of_the_sql(shop: Path, text: str) -> None:
    found = run_of(shop, {"q1": text, "q2": "hat"}, sql="select :text as id where :text is not null", params={})

    assert found.ranking("q2") == ("hat",)
    if "\ud800" in text:
        assert "surrogates not allowed" in found.failures["q1"]
    else:
        assert found.ranking("q1") == (text,)
    assert len(own(shop, '"shoe"')) == 3


def test_attributes_are_bound_by_their_names(shop: Path) -> None:
    queries = Queries((Query("q1", "shoe", {"most": 10}), Query("q2", "shoe", {"most": 30}), Query("q3", "shoe")))
    cheap = "select id from products where price <= :most order by id"
    retriever = build(entry("sql", options(sql=cheap), name="live"), RetrieverContext(shop))

    run = retrieve_run(retriever, queries, depth=10, name="live")

    assert (run.ranking("q1"), run.ranking("q2")) == (("a",), ("a", "b", "c"))
    assert run.failures == {"q3": "the SQL says :most, which this query does not have"}


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"sql": "select id from nowhere"}, "no such table: nowhere"),
        ({"sql": "selec id"}, 'near "selec": syntax error'),
        ({"sql": "select title from products"}, "what comes back has no column 'id', but 'title'"),
        ({"sql": "select null as id"}, "the row at rank 1 has no 'id'"),
        ({"sql": "delete from products"}, "This result object does not return rows"),
        ({"params": {}}, "the SQL says :match, which this query does not have"),
        ({"params": {"match": "{{ query.brand }}"}}, "the template says query.brand, which is not known here"),
        ({"params": {"match": "red AND"}}, "fts5: syntax error"),
    ],
)
def test_a_query_that_fails_is_told_by_name_and_changes_nothing(shop: Path, more: Mapping[str, Any], why: str) -> None:
    run = run_of(shop, {"q1": "red"}, **more)

    assert why in run.failures["q1"]
    assert len(own(shop, '"shoe"')) == 3


def test_integers_are_ids_to_the_digit_and_rows_may_be_ordered_by_score(shop: Path) -> None:
    sql = "select 9007199254740993 as id, 1 as score union all select 7, 2"
    run = run_of(shop, {"q1": "x"}, sql=sql, score="score", order="score")

    assert run.ranking("q1") == ("7", "9007199254740993")


def test_what_no_field_can_hold_is_text(shop: Path) -> None:
    run = run_of(shop, {"q1": "x"}, sql="select 'a' as id, x'00ff' as raw", fields=["raw"])
    assert run.fields["a"] == {"raw": r"b'\x00\xff'"}


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("shop.db", "url is no address of a database"),
        ("oraclesql://h/d", "url is no address of a database"),
        ("sqlite:///none.db", "there is no database 'none.db'"),
        ("postgresql+pg8000://u:hunter22@h/d", "needs the package 'pg8000', which is not installed"),
    ],
)
def test_an_address_that_cannot_be_used_is_told_without_it(shop: Path, url: str, told: str) -> None:
    with pytest.raises(RetrieverError) as caught:
        build(entry("sql", options(url=url)), RetrieverContext(shop))
    assert told in str(caught.value)
    assert "hunter22" not in str(caught.value)
    assert not (shop / "none.db").exists()


def test_what_does_not_fit_is_told_at_its_place(shop: Path) -> None:
    for more, told in (
        ({"fuzzy": "x"}, "unknown key 'fuzzy' in retrievers.tried"),
        ({"params": {"match": "{{ query"}}, "the template in params cannot be read"),
    ):
        with pytest.raises(RelevanceError) as caught:
            build(entry("sql", options(**more)), RetrieverContext(shop))
        assert told in str(caught.value)


def test_a_password_is_in_no_message(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_DATABASE", f"sqlite:///{shop}/planted-secret-1/shop.db")
    (shop / "s.relevance.yaml").write_text(
        "queries: [{query_id: q1, text: x, relevant: {a: 1}}]\n"
        'retrievers: {live: {type: sql, url: "${SHOP_DATABASE}", sql: "select :text as id"}}\n'
        "checks: [{measure: RR, of: live, at_least: 0.5}]\n",
        encoding="utf-8",
    )
    suite = read_suite(shop / "s.relevance.yaml")
    with pytest.raises(RetrieverError) as caught:
        build(suite.retrievers["live"], RetrieverContext(shop))
    assert "planted" not in f"{caught.value!r} {caught.value}"


def recorded(folder: Path, mode: Any, texts: Mapping[str, str], **more: Any) -> Any:
    around = RetrieverContext(folder, recordings=RecordingFolder(folder / "recordings", mode))
    return retrieve(entry("sql", options(**more), name="live"), texts, around)


def test_a_replay_asks_no_database(shop: Path) -> None:
    texts = {"q1": "red", "q2": "hat"}
    live = recorded(shop, "record", texts, fields=["title"])
    (shop / "shop.db").unlink()

    replayed = recorded(shop, "replay", texts, fields=["title"])
    assert [replayed.ranking(one) for one in texts] == [live.ranking(one) for one in texts]
    assert replayed.fields == live.fields
    other = recorded(shop, "replay", {"q1": "blue", "q9": "hat"}, fields=["title"])
    assert "the request has changed since its recording" in other.failures["q1"]
    assert other.ranking("q9") == ("d",)
    changed = recorded(shop, "replay", texts, fields=["price"])
    assert "the request has changed" in changed.failures["q1"]
    lines = (shop / "recordings" / "live.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[0])["engine"].startswith("sqlite 3.")


def test_what_decides_its_rankings_is_the_sql_and_not_where_the_database_is(shop: Path) -> None:
    def of(**more: Any) -> str | None:
        told = entry("sql", options(**more), name="live")
        return fingerprint({"live": told}, "live", RetrieverContext(shop))

    assert of() == of(url="postgresql://elsewhere/shop")
    assert len({of(), of(sql="select 1 as id"), of(id="title"), of(params={})}) == 4


def test_a_dry_run_counts_what_would_be_asked_over_a_network(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    queries = [Query("q1", "x"), Query("q2", "y")]
    here: object = build(entry("sql", options()), RetrieverContext(shop))
    assert isinstance(here, Planning)
    assert here.plan(queries, depth=5) == ()
    dialect = import_module("sqlalchemy.dialects.postgresql.psycopg").PGDialect_psycopg
    monkeypatch.setattr(dialect, "import_dbapi", lambda: None)
    there: object = build(
        entry("sql", options(url="postgresql+psycopg://u:p@db.test:5433/shop")), RetrieverContext(shop)
    )
    assert isinstance(there, Planning)
    assert there.plan(queries, depth=5) == (("postgresql://db.test:5433", 2, 2),)
