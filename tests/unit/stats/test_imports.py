"""What statistics cost to import: numpy, and scipy.special where a quantile of t is asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]

IMPORTED = """
import sys
from pytest_relevance.stats import compare, decide_drop, queries_needed
before = "scipy" in sys.modules
import numpy as np
old, new = np.linspace(0, 1, 20), np.linspace(0, 1, 20) ** 2
compare(old, new), decide_drop(old, new, max_drop=0.01), queries_needed(0.1, deviation=0.2)
print(before, "scipy.special" in sys.modules, "scipy.stats" in sys.modules)
"""


def test_scipy_special_is_imported_on_use_and_scipy_stats_never() -> None:
    done = subprocess.run([sys.executable, "-c", IMPORTED], cwd=ROOT, capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "True", "False"]
