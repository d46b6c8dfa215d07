"""Options: what the command line and the configuration say, read once and frozen."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import platformdirs
import pytest

from pytest_relevance.evaluate import Settings
from pytest_relevance.plugin.outputs import output_file, output_folder
from pytest_relevance.plugin.pages import SUMMARY
from pytest_relevance.runs import RecordingMode

CACHE_VARIABLE = "PYTEST_RELEVANCE_CACHE"


@dataclass(frozen=True)
class Options:
    """The plugin's options."""

    settings: Settings
    json: Path | None  # where to write the verdicts
    verbose: bool
    markdown: tuple[Path | str, ...] = ()  # files to write a page to; "summary" for that of GitHub Actions
    dry_run: bool = False  # tell what would be asked of search APIs, and run nothing

    @classmethod
    def of(cls, config: pytest.Config) -> Options:
        """Read them.

        Raises:
            pytest.UsageError: a value makes no sense.
        """
        depth = config.getoption("relevance_depth")
        if depth is not None and depth < 1:
            raise pytest.UsageError(f"--relevance-depth is {depth}, but at least 1 document must be retrieved")
        path, updates = config.getoption("relevance_json"), _updates(config)
        recordings, recording = _recordings(config)
        settings = Settings(
            recordings=recordings,
            recording=recording,
            diversity=config.getoption("relevance_diversity"),
            depth=depth,
            queries=tuple(config.getoption("relevance_query")),
            retrievers=tuple(config.getoption("relevance_retriever")),
            cache=_cache_folder(config),
            baselines=_baseline_folder(config, to_write=updates),
            baseline_reference=config.getoption("relevance_baseline_ref") or "",
            update_baselines=updates,
            baseline_text_megabytes=_text_megabytes(config),
        )
        return cls(
            settings,
            output_file(config, "--relevance-json", path) if path else None,
            config.get_verbosity() > 0,
            tuple(
                place if place == SUMMARY else output_file(config, "--relevance-markdown", place)
                for place in config.getoption("relevance_markdown")
            ),
            _dry_run(config),
        )


def _dry_run(config: pytest.Config) -> bool:
    """Whether only to tell what would be asked, which needs all of what is collected in one place."""
    said = bool(config.getoption("relevance_dry_run"))
    if said and _has_workers(config):
        raise pytest.UsageError("--relevance-dry-run counts in one process: leave out -n")
    return said


def _has_workers(config: pytest.Config) -> bool:
    """Whether xdist shares the tests out."""
    return hasattr(config, "workerinput") or bool(config.getoption("numprocesses", None))


def _recordings(config: pytest.Config) -> tuple[Path | None, RecordingMode]:
    """The folder of recordings, and whether to ask all anew, only what is missing, or nothing."""
    record, replay = config.getoption("relevance_record"), config.getoption("relevance_replay")
    resume = config.getoption("relevance_resume")
    if record and replay:
        raise pytest.UsageError("--relevance-record asks the services and --relevance-replay does not: say one of them")
    if resume and not record:
        raise pytest.UsageError("--relevance-resume goes on with a recording: say --relevance-record DIR too")
    if not record and not replay:
        return None, "record"
    if record:
        return output_folder(config, "--relevance-record", record), "resume" if resume else "record"
    folder = config.invocation_params.dir / replay
    if not folder.is_dir():
        raise pytest.UsageError(f"--relevance-replay: there is no folder {replay!r}; make it with --relevance-record")
    return folder, "replay"


def _updates(config: pytest.Config) -> bool:
    """Whether baselines are to be stored; never by accident, never in part."""
    said = config.getoption("relevance_update_baseline")
    if not said:
        return False
    option = "--relevance-update-baseline"
    if os.environ.get("CI", "").lower() not in {"", "0", "false"} and said < 2:
        raise pytest.UsageError(f"{option}: a baseline is not renewed in CI; say it twice if it really should be")
    if _has_workers(config):
        raise pytest.UsageError(f"{option} stores in one process: leave out -n")
    for other in ("relevance_query", "relevance_depth", "relevance_baseline_ref"):
        if config.getoption(other):
            name = f"--{other.replace('_', '-')}"
            raise pytest.UsageError(f"{option} stores whole runs beside the suite: leave out {name}")
    return True


def _baseline_folder(config: pytest.Config, *, to_write: bool) -> Path | None:
    given = config.getoption("relevance_baseline")
    if given and to_write:
        return output_folder(config, "--relevance-baseline", given)
    if given:
        return Path(config.invocation_params.dir / given)
    configured = config.getini("relevance_baselines")
    return config.rootpath / configured if configured else None


def _text_megabytes(config: pytest.Config) -> float:
    written = config.getini("relevance_baseline_text_megabytes")
    try:
        return float(written)
    except ValueError:
        raise pytest.UsageError(f"relevance_baseline_text_megabytes is {written!r}, and no number") from None


def _cache_folder(config: pytest.Config) -> Path:
    configured = config.getini("relevance_cache") or os.environ.get(CACHE_VARIABLE)
    if configured:
        return config.rootpath / configured
    if config.pluginmanager.hasplugin("cacheprovider") and config.cache is not None:
        return config.cache.mkdir("relevance")
    return platformdirs.user_cache_path("pytest-relevance")
