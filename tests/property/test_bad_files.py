"""Thousands of spoiled files: each is read rightly or refused with its place; nothing else ever comes out."""

from __future__ import annotations

import gzip
import json
import random
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_relevance.errors import RelevanceError
from pytest_relevance.records import Qrels, RankedGrades
from pytest_relevance.trec import read_corpus, read_qrels, read_queries, read_run
from pytest_relevance.trec.join import join_run_file

MUTANTS = 240  # of each seed file

RUN = b"".join(
    b"q%d Q0 d%d %d %.4f bm25\n" % (query, document * 7 % 23, document + 1, 20 - document * 1.5)
    for query in (1, 2, 10)
    for document in range(8)
)
QRELS = b"".join(b"q%d 0 d%d %d\n" % (query, document, document % 3) for query in (1, 2, 10) for document in range(7))
SEEDS: dict[str, bytes] = {
    "run.txt": RUN,
    "crlf.run": RUN.replace(b"\n", b"\r\n").replace(b" ", b"\t"),
    "digits.run": RUN.replace(b".5000", b".53012345678901234").replace(b".0000", b".00000000000000001"),
    "tied.run": re.sub(rb"\d+\.\d{4}", b"1.5", RUN),
    "qrels.txt": QRELS,
    "commented.qrels": b"# ir_metadata.start\n# a: b\n# ir_metadata.end\n" + QRELS.replace(b" 2\n", b" 1.33 extra\n"),
    "ratings.csv": b'query,docid,rating\nred shoes,d1,3\n"shoes, red",d2,1.5\nsofa,,\n',
    "qrels.tsv": b"query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t0\nq2\td3\t2\n",
    "run.json": json.dumps(
        {"q1": {"d1": 1.5, "d2": 2}, "7": [{"id": "d3", "score": 1}, {"id": "d4", "score": 0.5}]}
    ).encode(),
    "queries.jsonl": (
        b'{"_id": "q1", "text": "red shoes", "metadata": {"a": 1}}\n{"_id": "q2", "text": "gr\xc3\xb6\xc3\x9fe"}\n'
    ),
    "queries.tsv": "q1\tred shoes\nq2\tgröße\n".encode(),
    "queries.csv": b'query_id,query,type\nq1,"what is\niOS",short\nq2,plain,long\n',
    "topics.xml": b'<topics>\n<topic number="1"><query>a &amp; b</query><narrative>n</narrative></topic>\n</topics>\n',
    "topics.sgml": b"<top>\n<num> Number: 301\n<title> organized crime\n<desc> Description:\nwhat\n</top>\n",
}
BYTES = (
    b"\x00",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\r",
    b"\n",
    b"\t",
    b" ",
    b"#",
    b'"',
    b",",
    b"{",
    b"\x1b[31m",
    b"\xe2\x80\xa8",
    b"\x0c",
)
FIELDS = (
    b"nan",
    b"inf",
    b"-inf",
    b"1e999",
    b"1_0",
    b"012",
    b"no",
    b"9th",
    b"",
    b"-",
    b".",
    b"1e3",
    b"\xd9\xa3",
    b"\xc3\x28",
    b"0x1p3",
)


def mutants(seed: bytes, count: int, name: str) -> Iterator[bytes]:
    """Spoiled copies of a file: bytes and fields changed, lines repeated, cut, moved, the encoding changed."""
    chance = random.Random(name)
    for _ in range(count):
        data = seed
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            data = chance.choice(WAYS)(data, chance)
        yield data


def insert_bytes(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + chance.choice(BYTES) * chance.choice((1, 1, 2)) + data[at:]


def delete_bytes(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + data[at + chance.randint(1, 6) :]


def replace_byte(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]


def replace_field(data: bytes, chance: random.Random) -> bytes:
    fields = list(re.finditer(rb"[^\s,:{}\[\]]+", data))
    if not fields:
        return data
    start, stop = chance.choice(fields).span()
    return data[:start] + chance.choice(FIELDS) + data[stop:]


def cut_short(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def repeat_line(data: bytes, chance: random.Random) -> bytes:
    lines = data.splitlines(keepends=True) or [b""]
    lines.insert(chance.randrange(len(lines) + 1), chance.choice(lines))
    return b"".join(lines)


def swap_lines(data: bytes, chance: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    chance.shuffle(lines)
    return b"".join(lines)


def other_encoding(data: bytes, chance: random.Random) -> bytes:
    return data.decode("utf-8", "replace").encode(
        chance.choice(("utf-16", "utf-16-le", "latin-1", "utf-8-sig")), "replace"
    )


def packed(data: bytes, chance: random.Random) -> bytes:
    whole = gzip.compress(data, mtime=0)
    return chance.choice((whole, whole[:-9], whole[:20] + b"\x00" + whole[21:]))


WAYS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    insert_bytes,
    insert_bytes,
    delete_bytes,
    replace_byte,
    replace_field,
    replace_field,
    cut_short,
    repeat_line,
    repeat_line,
    swap_lines,
    other_encoding,
    packed,
)


def outcome(read: Callable[[Path], object], path: Path) -> object:
    """What a reader gives, or the error it refuses with; an error must be able to print itself, harmlessly."""
    try:
        return read(path)
    except RelevanceError as error:
        shown = str(error)
        assert path.name in shown
        assert "fix:" in shown
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", shown)
        return None


def plain_bytes(data: bytes) -> bytes:
    try:
        return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except (OSError, EOFError, zlib.error):
        return data


def test_spoiled_files_are_read_rightly_or_refused_with_their_place(tmp_path: Path) -> None:
    qrels = Qrels.from_dict({"q1": {"d1": 1, "d7": 2, "d5": 0}, "q2": {"d0": 1}, "q10": {"d14": 3, "d9": 1}})
    seen = read = 0
    for name, seed in SEEDS.items():
        path = tmp_path / name
        for data in mutants(seed, MUTANTS, name):
            path.write_bytes(data)
            seen += 1
            read += all_readers_behave(path, data, qrels)

    assert seen == MUTANTS * len(SEEDS)
    assert seen // 5 < read < seen  # both outcomes are well represented


def all_readers_behave(path: Path, data: bytes, qrels: Qrels) -> bool:
    readers = (
        (read_qrels, read_run)
        if "qrels" in path.name or "run" in path.name or "ratings" in path.name
        else (read_queries,)
    )
    results = [outcome(reader, path) for reader in (*readers, *(() if len(readers) > 1 else (read_corpus,)))]
    if len(readers) > 1:
        assert_join_agrees(path, qrels)
    text = plain_bytes(data)
    for result in results:
        for one in ids_in(result):
            assert one.encode() in text or escapes(path, text)
    return any(result is not None for result in results)


def escapes(path: Path, text: bytes) -> bool:
    """Whether the format has a way to write a character by others, and the file uses it."""
    ways = {".csv": b'""', ".json": b"\\", ".jsonl": b"\\", ".xml": b"&"}
    if path.suffix == ".sgml":
        return True  # line breaks in a number become blanks
    return ways.get(path.suffix, b"\\" if text.lstrip()[:1] in (b"{", b"[") else b"no way") in text


def ids_in(result: object) -> list[str]:
    doc_ids = getattr(result, "doc_ids", ())
    return [*getattr(result, "query_ids", ()), *doc_ids]


def assert_join_agrees(path: Path, qrels: Qrels) -> None:
    run = outcome(read_run, path)
    joined = outcome(lambda one: join_run_file(one, qrels), path)
    assert (run is None) == (joined is None)
    if run is not None:
        assert_same(joined.ranked, RankedGrades.join(run, qrels))  # type: ignore[attr-defined,arg-type]  # both are there
        assert joined.notes == run.notes  # type: ignore[attr-defined]  # the same


def assert_same(one: RankedGrades, other: RankedGrades) -> None:
    assert one.query_ids == other.query_ids
    for column in ("retrieved", "in_run", "offsets", "ranks", "grades", "judged_offsets", "judged_grades"):
        assert np.array_equal(getattr(one, column), getattr(other, column)), column


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=200) | st.text(alphabet='q1 d\t\n\r#.-+e0"{},:[]<>é', max_size=120).map(str.encode))
def test_any_bytes_are_read_or_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "any.txt"
    path.write_bytes(data)
    for reader in (read_qrels, read_run, read_queries, read_corpus):
        outcome(reader, path)
    assert_join_agrees(path, Qrels.from_dict({"q": {"d": 1}}))


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    scores=st.lists(
        st.sampled_from(
            [
                "1.0",
                "1",
                "0.1",
                "0.10000000000000001",
                "1e-1",
                "-0.0",
                "0",
                "3.0000000000000004",
                "3.0000000000000003",
                "3",
                "inf",
                "-2.5",
                "12345678901234567",
                "12345678901234568",
            ]
        ),
        min_size=1,
        max_size=30,
    ),
    documents=st.permutations(
        [f"d{number}" for number in range(30)] + ["d", "d1x", "ü", "a-very-long-document-id-of-30-x"]
    ),
)
def test_scores_of_any_spelling_give_the_order_of_their_doubles(
    tmp_path: Path, scores: list[str], documents: list[str]
) -> None:
    path = tmp_path / "scores.run"
    path.write_text(
        "".join(f"q Q0 {doc} 1 {score} t\n" for doc, score in zip(documents, scores, strict=False)), "utf-8"
    )
    wanted = sorted(
        zip(documents, scores, strict=False), key=lambda row: (float(row[1]), row[0].encode()), reverse=True
    )

    assert read_run(path).ranking("q") == tuple(doc for doc, _ in wanted)
    assert_join_agrees(path, Qrels.from_dict({"q": dict.fromkeys(documents[::2], 1.0)}))
