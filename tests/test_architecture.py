"""ARCHITECTURE.md against the tree: every module is listed, and data flows one way."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "wellread"
MODULES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))
PURE = (
    "types.py",
    "slugs.py",
    "split.py",
    "structure.py",
    "folding.py",
    "stems.py",
    "terms.py",
    "values.py",
    "languages.py",
    "rank.py",
    "standing.py",
    "globs.py",
    "dates.py",
)


def imports(module: str) -> set[str]:
    """Every module that a module names in an import, wherever it stands."""
    tree = ast.parse((PACKAGE / module).read_text(encoding="utf-8"))
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def test_architecture_lists_every_module_and_no_other() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([\w/]+\.py)` \| \S", text, re.MULTILINE)
    wanted = [name for name in MODULES if not name.endswith("__init__.py")]
    assert sorted(listed) == wanted


@pytest.mark.parametrize("module", PURE)
def test_pure_module_touches_no_file_and_no_database(module: str) -> None:
    assert not imports(module) & {"os", "sqlite3", "pathlib", "subprocess", "io", "tantivy"}


def test_types_and_errors_import_nothing_of_ours() -> None:
    for module in ("types.py", "errors.py"):
        assert not [name for name in imports(module) if name.startswith("wellread")]


def test_only_config_reads_the_environment() -> None:
    readers = [
        name
        for name in MODULES
        if re.search(r"os\.environ|getenv", (PACKAGE / name).read_text(encoding="utf-8"))
    ]
    assert readers == ["config.py"]


def test_only_access_makes_a_scope() -> None:
    makers = [
        name
        for name in MODULES
        if re.search(r"\bScope\(", (PACKAGE / name).read_text(encoding="utf-8"))
    ]
    assert makers == ["access.py"]


def test_no_store_is_imported_by_what_a_store_is_asked_with() -> None:
    modules = ("query.py", "search.py", "read.py", "exact.py", "rank.py", "snippet.py")
    assert any(name == "wellread.store.base" for module in modules for name in imports(module))
    for module in modules:
        ours = {name for name in imports(module) if name.startswith("wellread.store")}
        assert all(
            name.startswith(("wellread.store.base", "wellread.store.texts")) for name in ours
        ), module


@pytest.mark.parametrize("name", ["README.md", "SECURITY.md", "CONTRIBUTING.md", "ARCHITECTURE.md"])
def test_links_of_the_documentation_resolve(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        if "://" not in target:
            assert (ROOT / target).exists(), f"{name}: {target}"


def test_readme_is_short() -> None:
    assert (ROOT / "README.md").read_text(encoding="utf-8").count("\n") <= 150
