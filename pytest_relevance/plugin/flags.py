"""The flags of the command line and the keys of the configuration, as a table: what pytest registers, and no more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_TRUE: Mapping[str, Any] = {"action": "store_true"}
_MANY: Mapping[str, Any] = {"action": "append", "default": []}

FLAGS: Mapping[str, Mapping[str, Any]] = {
    "--relevance": {**_TRUE, "help": "collect and run *.relevance.yaml suites"},
    "--relevance-retriever": {
        **_MANY,
        "metavar": "NAME",
        "help": "run only this retriever's checks and assertions (may be repeated)",
    },
    "--relevance-query": {
        **_MANY,
        "metavar": "ID",
        "help": "run only for this query, by id or text, and show its rankings (may be repeated)",
    },
    "--relevance-depth": {
        "type": int,
        "metavar": "N",
        "help": "retrieve N documents per query, whatever the suites say",
    },
    "--relevance-update-baseline": {
        "action": "count",
        "default": 0,
        "help": "store what is retrieved now as the baseline of retrievers with a check against one (in CI: twice)",
    },
    "--relevance-baseline": {
        "metavar": "DIR",
        "help": "folder of stored baselines; default: relevance_baselines beside each suite",
    },
    "--relevance-baseline-ref": {
        "metavar": "REF",
        "help": "read baselines, and the bounds of then, from this git reference, such as origin/main",
    },
    "--relevance-record": {
        "metavar": "DIR",
        "help": "keep what search APIs answer, one folder a suite, for a later replay",
    },
    "--relevance-resume": {**_TRUE, "help": "with --relevance-record: ask only what is not recorded yet"},
    "--relevance-replay": {
        "metavar": "DIR",
        "help": "answer from recordings and ask no search API; what is not recorded, or never asked for, fails",
    },
    "--relevance-dry-run": {**_TRUE, "help": "tell how many requests would go where, and run nothing"},
    "--relevance-diversity": {
        **_TRUE,
        "help": "tell what each retriever of a suite adds to the others: documents only it finds, and overlaps",
    },
    "--relevance-markdown": {
        **_MANY,
        "metavar": "PATH",
        "help": "write a page on the session to this Markdown file; 'summary' appends it to GITHUB_STEP_SUMMARY",
    },
    "--relevance-json": {"metavar": "PATH", "help": "write every verdict to this JSON file"},
}
KEYS: Mapping[str, tuple[str, str]] = {  # key of the configuration → help, default
    "relevance_baselines": ("folder of stored baselines; default: beside each suite", ""),
    "relevance_baseline_text_megabytes": ("a larger baseline is stored as Parquet, not as text", "20"),
    "relevance_cache": ("folder for indexes kept between sessions; default: in pytest's cache", ""),
}
