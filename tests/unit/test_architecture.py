"""What the sources must look like: who imports whom, who knows pytest, how long a file is, what is documented."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "pytest_relevance"

# A room imports itself and what stands before it.
ROOMS = (
    "errors",
    "records",
    "trec",
    "measures",
    "stats",
    "formats",
    "suite",
    "retrievers",
    "runs",
    "baseline",
    "verdict",
    "preflight",
    "evaluate",
    "build",
    "report",
    "cli",
    "plugin",
)
MOST_LINES = 280
FILES = sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def room_of(module: str) -> str:
    """The room of a dotted module name: 'pytest_relevance.records.run' → 'records'; '' for the package itself."""
    return module.split(".")[1] if "." in module else ""


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and dotted name of everything imported anywhere in a file, functions included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: relative import"
            yield node.lineno, node.module or ""
            if node.module == "pytest_relevance":
                yield from ((node.lineno, f"pytest_relevance.{alias.name}") for alias in node.names)


def public_definitions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """Functions and classes of a module whose names do not begin with an underscore."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node


@pytest.fixture(params=FILES, ids=name_of)
def path(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


@pytest.fixture
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def test_a_room_imports_only_rooms_before_it(path: Path, tree: ast.Module) -> None:
    here = room_of(module_of(path))
    if here == "":  # the package's own file names what is public and may reach every room
        return
    assert here in ROOMS, f"{name_of(path)} stands in no room"
    allowed = ROOMS[: ROOMS.index(here) + 1]
    backward = [
        f"{name_of(path)}:{line} imports {module}"
        for line, module in imports(tree)
        if module.startswith("pytest_relevance.") and room_of(module) not in allowed
    ]
    assert backward == []


def test_only_the_plugin_knows_pytest(path: Path, tree: ast.Module) -> None:
    if room_of(module_of(path)) == "plugin":
        return
    known = [
        f"{name_of(path)}:{line} imports {module}"
        for line, module in imports(tree)
        if module.split(".")[0] in ("pytest", "_pytest", "xdist")
    ]
    assert known == []


def test_a_file_begins_with_a_sentence_on_its_one_job(path: Path, tree: ast.Module) -> None:
    assert ast.get_docstring(tree), f"{name_of(path)} has no docstring"
    assert tree.body[0].lineno == 1, f"{name_of(path)} does not begin with its docstring"


def test_a_file_is_short_enough_to_have_one_job(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def test_every_public_function_and_class_is_documented(path: Path, tree: ast.Module) -> None:
    bare = [
        f"{name_of(path)}:{node.lineno} {node.name}" for node in public_definitions(tree) if not ast.get_docstring(node)
    ]
    assert bare == []


def test_the_library_does_not_import_pytest() -> None:
    program = "import sys, pytest_relevance; print([name for name in ('pytest', '_pytest') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
