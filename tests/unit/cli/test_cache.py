"""`pytest-relevance cache` lists what is kept, with its size, and deletes only what it is told to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pytest_relevance.cli import main
from pytest_relevance.cli.cache import bytes_of, shown_size
from pytest_relevance.cli.folders import cache_folders

DAY = 86400


def written(path: Path, size: int, *, days: float = 0) -> Path:
    """A file of that size, last used so many days ago."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * size)
    used = time.time() - days * DAY
    os.utime(path, (used, used))
    return path


def vectors(cache: Path, name: str, model: str, size: int, *, days: float) -> Path:
    """Stored vectors as the store lays them out: `size` bytes of rows, and a description."""
    folder = cache / "vectors" / name
    written(folder / "rows", size)
    written(folder / "journal", 0)
    description = written(folder / "description.json", 0)
    description.write_text(json.dumps({"model": model, "kind": "dense"}), encoding="utf-8")
    used = time.time() - days * DAY
    os.utime(description, (used, used))
    return folder


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Two models, a BM25 index, an approximate index, two judged files, and a file of somebody else."""
    folder = tmp_path / "kept"
    vectors(folder, "one", "small-model", 1000, days=1)
    vectors(folder, "two", "large-model", 9000, days=40)
    written(folder / "bm25" / "abc" / "scores.npy", 500)
    written(folder / "bm25" / "abc" / "manifest.json", 100, days=20)
    written(folder / "indexes" / "def.faiss", 300)
    written(folder / "indexes" / "def.json", 20, days=50)
    written(folder / "judged" / "a.judged", 30, days=2)
    written(folder / "judged" / "b.judged", 40, days=60)
    written(folder / "vectors" / "mine" / "notes.txt", 10, days=400)
    return folder


def called(cache: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["cache", "--folder", str(cache), *arguments])


def told(cache: Path, *arguments: str) -> dict[str, dict[str, object]]:
    """What the JSON tells, by the path within the cache."""
    kept = json.loads(called(cache, *arguments, "--json").stdout)["kept"]
    return {Path(one["path"]).relative_to(cache.resolve()).as_posix(): one for one in kept}


def test_everything_of_ours_is_listed_and_nothing_else(cache: Path) -> None:
    listed = told(cache)

    assert set(listed) == {
        "vectors/one",
        "vectors/two",
        "bm25/abc",
        "indexes/def.faiss",
        "judged/a.judged",
        "judged/b.judged",
    }
    assert listed["bm25/abc"]["bytes"] == 500 + 100
    assert listed["bm25/abc"]["unused_days"] == pytest.approx(20, abs=0.01)
    assert listed["vectors/two"]["description"] == {"model": "large-model", "kind": "dense"}


def test_things_alike_are_one_line_and_sizes_are_added_up(cache: Path) -> None:
    lines = [" ".join(line.split()) for line in called(cache).stdout.splitlines()]

    assert lines[0] == str(cache.resolve())
    assert "70 B unused for 2 days judged rows of run files ×2" in lines
    assert "600 B unused for 20 days BM25 index" in lines
    assert lines[-1].endswith("kB in all")


def test_a_wish_without_prune_deletes_nothing_and_marks_what_it_would(cache: Path) -> None:
    result = called(cache, "--older-than", "30")

    assert "large-model (dense)  would be deleted" in result.stdout
    assert "with --prune" in result.stdout
    assert len(told(cache)) == 6


def test_what_was_not_used_for_so_many_days_goes(cache: Path) -> None:
    deleted = {path for path, one in told(cache, "--older-than", "30", "--prune").items() if one["deleted"]}

    assert deleted == {"vectors/two", "indexes/def.faiss", "judged/b.judged"}
    assert set(told(cache)) == {"vectors/one", "bm25/abc", "judged/a.judged"}
    assert not (cache / "indexes" / "def.json").exists()


def test_the_longest_unused_goes_until_so_much_is_left(cache: Path) -> None:
    size = sum(int(str(one["bytes"])) for one in told(cache).values())

    called(cache, "--keep", str(size - 1), "--prune")  # one byte too much: only the judged rows of 60 days go

    assert set(told(cache)) == {"vectors/one", "vectors/two", "bm25/abc", "indexes/def.faiss", "judged/a.judged"}


def test_only_the_vectors_of_a_model_go(cache: Path) -> None:
    called(cache, "--model", "small-model", "--prune")

    assert not (cache / "vectors" / "one").exists()
    assert len(told(cache)) == 5


def test_what_is_not_ours_stays_even_if_nothing_is_to_be_kept(cache: Path) -> None:
    result = called(cache, "--keep", "0", "--prune")

    assert told(cache) == {}
    assert result.stdout.splitlines()[-1].startswith("0 B in all")
    assert (cache / "vectors" / "mine" / "notes.txt").is_file()


def test_prune_without_a_wish_is_refused(cache: Path) -> None:
    result = called(cache, "--prune")

    assert (result.exit_code, len(told(cache))) == (2, 6)
    assert "nothing says what to prune" in result.stderr


@pytest.mark.parametrize("arguments", [["--keep", "much"], ["--folder", "/there/is/none"], ["--older-than", "-1"]])
def test_what_cannot_be_meant_is_refused(cache: Path, arguments: list[str]) -> None:
    result = called(cache, *arguments)

    assert result.exit_code == 2
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("text", "count"), [("0", 0), ("512", 512), ("1.5k", 1500), ("2 GB", 2_000_000_000), ("3mb", 3_000_000)]
)
def test_a_size_is_a_number_and_a_unit_of_a_thousand(text: str, count: int) -> None:
    assert bytes_of(text) == count


def test_sizes_are_shown_in_the_unit_people_read() -> None:
    assert [shown_size(count) for count in (0, 999, 1000, 3_400_000)] == ["0 B", "999 B", "1.0 kB", "3.4 MB"]


def test_the_folders_are_those_a_session_would_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project, inside = tmp_path / "project", tmp_path / "project" / "suites"
    pytests, configured, chosen = project / ".pytest_cache/d/relevance", project / "kept", inside / "chosen"
    for folder in (inside, pytests, configured, chosen):
        folder.mkdir(parents=True)
    monkeypatch.delenv("PYTEST_RELEVANCE_CACHE")

    assert cache_folders(inside) == (pytests.resolve(),)

    (project / "pytest.ini").write_text("[pytest]\nrelevance_cache = kept\n", encoding="utf-8")
    monkeypatch.setenv("PYTEST_RELEVANCE_CACHE", "chosen")

    assert cache_folders(inside) == (chosen.resolve(), configured.resolve(), pytests.resolve())


def test_a_configuration_in_pyproject_counts_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_RELEVANCE_CACHE")
    (tmp_path / "pyproject.toml").write_text('[tool.pytest.ini_options]\nrelevance_cache = "k"\n', encoding="utf-8")
    (tmp_path / "k").mkdir()

    assert cache_folders(tmp_path) == ((tmp_path / "k").resolve(),)


def test_the_command_imports_no_torch_and_no_pytest(cache: Path) -> None:
    code = (
        "import sys\nfrom pytest_relevance.cli import main\n"
        f"main(['cache', '--folder', {str(cache)!r}], standalone_mode=False)\n"
        "print([name for name in ('torch', 'sentence_transformers', 'faiss', 'pytest') if name in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).resolve().parents[3]
    )

    assert result.stdout.splitlines()[-1] == "[]", result.stderr
