"""Secrets planted everywhere a secret can be are found nowhere in what a failing run says, writes or logs."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from fault_server import Asked, FaultServer, Reply, Reset, closed_port

from pytest_relevance import evaluate_suite
from pytest_relevance.cli import main
from pytest_relevance.errors import RelevanceError
from pytest_relevance.evaluate import Settings
from pytest_relevance.records import Queries
from pytest_relevance.retrievers import Planning, RetrieverContext, build, fingerprint
from pytest_relevance.runs import RecordingFolder, retrieve_run
from pytest_relevance.suite import read_suite

PLANTED = {
    "SERVICE_USER": "planted-user-11",
    "SERVICE_PASSWORD": "planted pass/word+22",
    "PATH_TOKEN": "planted-path-33",
    "HEADER_KEY": "planted-header-44",
    "PARAM_TOKEN": "planted-param=55",
    "BODY_SECRET": 'planted-"body"-66',
    "EMBED_KEY": "planted-embed-77",
}
SIGNS = ("planted", "cGxhbnRlZC11c2VyLTEx")  # the second: the user as Basic authentication sends it

SUITE = """
suite: keys
queries: [{query_id: q1, text: red shoes, relevant: {d1: 1}}, {query_id: q2, text: blue, relevant: {d1: 1}}]
retrievers:
  live:
    type: http
    url: "ADDRESS/${PATH_TOKEN}/search"
    auth: {user: "${SERVICE_USER}", password: "${SERVICE_PASSWORD}"}
    headers: {X-Api-Key: "${HEADER_KEY}"}
    params: {access_token: "${PARAM_TOKEN}", q: "{{ query.text }}"}
    body: {secret: "${BODY_SECRET}", q: "{{ query.text }}"}
    fields: [title, echo]
    tries: 2
    timeout: 2
checks: [{measure: nDCG@10, of: live, at_least: 0.5}]
"""


def echo(asked: Asked) -> str:
    """All that the server was sent, as a talkative service says it back."""
    return f"{asked.target} {asked.headers} {asked.content.decode()}"


def scripts() -> dict[str, Any]:
    return {
        "an error": lambda asked: Reply({"error": {"reason": echo(asked)}}, 400),
        "html": lambda asked: Reply(f"<p>{echo(asked)}</p>".encode(), 500, {"Content-Type": "text/html"}),
        "no json": lambda asked: Reply(echo(asked).encode()),
        "no hits": lambda asked: Reply({echo(asked): 1}),
        "a reset": lambda _: Reset(),
        "a redirect": lambda asked: Reply(status=302, headers={"Location": f"http://localhost:1{asked.target}"}),
        "an answer": lambda asked: Reply({"hits": [{"id": f"x {asked.headers['x-api-key']}", "echo": echo(asked)}]}),
    }


@pytest.fixture(params=list(scripts()))
def script(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    for name, value in PLANTED.items():
        monkeypatch.setenv(name, value)
    return scripts()[request.param]


def assert_nowhere(text: str) -> None:
    for sign in SIGNS:
        assert sign not in text, text[max(0, text.find(sign) - 200) : text.find(sign) + 100]


def all_files(folder: Path) -> str:
    return "\n".join(path.read_bytes().decode("utf-8", "replace") for path in folder.rglob("*") if path.is_file())


def test_no_part_of_the_library_tells_a_secret(
    script: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("httpx", "httpcore", "httpcore.connection", "httpcore.http11"):
        logging.getLogger(name).setLevel(logging.DEBUG)
    with FaultServer(script) as server:
        path = tmp_path / "keys.relevance.yaml"
        path.write_text(SUITE.replace("ADDRESS", server.url), encoding="utf-8")
        suite = read_suite(path)
        config = suite.retrievers["live"]
        recordings = RecordingFolder(tmp_path / "recordings", "record")
        context = RetrieverContext(tmp_path, recordings=recordings)
        retriever = build(config, context)
        queries = Queries.from_dict({"q1": "red shoes", "q2": "blue"})
        assert isinstance(retriever, Planning)
        plan = retriever.plan(queries.items, depth=10)
        run = retrieve_run(retriever, queries, depth=10)

    assert server.asked
    told = [
        run.failures,
        run.notes,
        dict(run.fields),
        list(run.doc_ids),
        plan,
        fingerprint(suite.retrievers, "live", context),
    ]
    for thing in (retriever, config, suite, context, recordings, run, *told, *vars(retriever).values()):
        assert_nowhere(repr(thing) + str(thing))
    assert_nowhere(all_files(tmp_path / "recordings"))
    assert_nowhere(caplog.text)
    captured = capfd.readouterr()
    assert_nowhere(captured.out + captured.err)


def test_no_output_of_a_failing_session_tells_a_secret(script: Any, pytester: pytest.Pytester) -> None:
    with FaultServer(script) as server:
        suite = SUITE.replace("ADDRESS", server.url)
        pytester.path.joinpath("keys.relevance.yaml").write_text(suite, encoding="utf-8")
        result = pytester.runpytest_subprocess(
            *(
                "--relevance",
                "-vvv",
                "-l",
                "--log-level=DEBUG",
                "--junitxml=junit.xml",
                "--relevance-json=verdicts.json",
                "--relevance-markdown=page.md",
                "--relevance-record=recordings",
            ),
            *("-p", "no:randomly", "--full-trace"),
        )

    assert result.ret != 0
    assert_nowhere(result.stdout.str() + result.stderr.str())
    assert_nowhere(all_files(pytester.path))
    assert_nowhere(all_files(Path(os.environ["XDG_CACHE_HOME"])))


@pytest.mark.parametrize("form", [(), ("--json",), ("--markdown",)])
def test_a_report_of_drift_tells_no_secret(script: Any, tmp_path: Path, form: tuple[str, ...]) -> None:
    recorded = scripts()["an answer"]
    answering = [recorded]
    path, folder = tmp_path / "keys.relevance.yaml", tmp_path / "recordings"
    with FaultServer(lambda asked: answering[0](asked)) as server:
        path.write_text(SUITE.replace("ADDRESS", server.url), encoding="utf-8")
        list(evaluate_suite(path, Settings(recordings=folder)))
        answering[0] = script
        result = CliRunner().invoke(main, ["drift", str(path), "--recorded", str(folder), *form])

    assert result.exit_code == (0 if script(ASKED) == recorded(ASKED) else 2), result.output
    assert "q1" in result.output or result.exit_code == 0
    assert_nowhere(result.output)
    assert_nowhere(all_files(folder))


ASKED = Asked("POST", "/", {"x-api-key": "k"}, b"", 1)


def test_an_option_that_does_not_fit_does_not_show_its_secret(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in PLANTED.items():
        monkeypatch.setenv(name, value)
    path = tmp_path / "keys.relevance.yaml"
    suite = SUITE.replace('"ADDRESS/${PATH_TOKEN}/search"', '"${PATH_TOKEN}"').replace(
        "tries: 2", "tries: ${PATH_TOKEN}"
    )
    path.write_text(suite, encoding="utf-8")
    with pytest.raises(RelevanceError) as caught:
        build(read_suite(path).retrievers["live"], RetrieverContext(tmp_path))

    assert_nowhere(str(caught.value) + repr(caught.value) + repr(caught.value.__context__))


def test_an_embedding_endpoint_is_no_leak_either(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EMBED_KEY", PLANTED["EMBED_KEY"])
    with FaultServer(lambda asked: Reply({"error": {"message": echo(asked)}}, 400)) as server:
        text = (
            "queries: [{query_id: q1, text: x, relevant: {d1: 1}}]\nretrievers:\n  live:\n    type: http\n"
            f'    url: {server.url}/search\n    body: {{v: "{{{{ vector }}}}"}}\n'
            f'    embed:\n      url: "{server.url}/v1?key=${{EMBED_KEY}}"\n'
            '      headers: {Authorization: "Bearer ${EMBED_KEY}"}\n'
            "checks: [{measure: nDCG@10, of: live, at_least: 0.5}]\n"
        )
        path = tmp_path / "keys.relevance.yaml"
        path.write_text(text, encoding="utf-8")
        retriever = build(read_suite(path).retrievers["live"], RetrieverContext(tmp_path))
        run = retrieve_run(retriever, Queries.from_dict({"q1": "x"}), depth=10)

    assert run.failures["q1"].startswith("no vector: HTTP 400")
    assert_nowhere(str(run.failures))


def test_a_service_that_refuses_connections_is_named_without_what_is_secret_in_its_address(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SEARCH_URL", f"http://planted-u:planted-p@127.0.0.1:{closed_port()}/planted-path?planted=1")
    path = tmp_path / "keys.relevance.yaml"
    path.write_text(
        "queries: [{query_id: q1, text: x, relevant: {d1: 1}}]\n"
        'retrievers: {live: {type: http, url: "${SEARCH_URL}"}}\n'
        "checks: [{measure: nDCG@10, of: live, at_least: 0.5}]\n",
        encoding="utf-8",
    )
    retriever = build(read_suite(path).retrievers["live"], RetrieverContext(tmp_path))
    run = retrieve_run(retriever, Queries.from_dict({"q1": "x"}), depth=10)

    assert isinstance(retriever, Planning)
    assert_nowhere(str(run.failures) + str(retriever.plan(list(Queries.from_dict({"q1": "x"})), depth=3)))
