"""Steps: the commands to try after a verdict, ready to be pasted."""

from __future__ import annotations

import shlex

from pytest_relevance.verdict import Verdict


def next_steps(verdict: Verdict) -> list[tuple[str, str]]:
    """What a command does, and the command; nothing where there is nothing to do."""
    if not verdict.node or verdict.outcome == "pass":
        return []
    command = f"pytest --relevance {shlex.quote(verdict.node)}"
    worst = [one.query_id for one in verdict.worst] or [one.query_id for one in verdict.broken]
    one_query = f"{command} --relevance-query {shlex.quote(worst[0])}" if worst else ""
    steps = [("see one query", one_query) if worst else ("run it alone", command)]
    if verdict.kind == "regression" and verdict.gate is not None and verdict.gate.against == "baseline":
        whole = shlex.quote(verdict.node.rpartition("::")[0])
        steps.append(("accept it", f"pytest --relevance {whole} --relevance-update-baseline"))
    return steps


def step_lines(verdict: Verdict) -> list[str]:
    """The same as lines of a failure."""
    return [f"  {f'{what}:':14}  {command}" for what, command in next_steps(verdict)]
