from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import curt_fs as curt

HERE = Path(__file__).parent.parent
PAGES = ["README.md", "docs/api.md", "docs/if-you-use.md", "../../docs/cookbook.md"]


@pytest.fixture
def project(tmp_path: Path, monkeypatch) -> Path:
    files = {"README": "readme", "setup.py": "setup", "src/main.py": "main", "build/a.o": "object", "build/b.o": "objects"}
    for name, text in files.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES)
def test_pages(project: Path, page: str) -> None:
    result = doctest.testfile(str(HERE / page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0 and result.attempted >= 3


@pytest.mark.parametrize("module", ["curt_fs", "curt_fs.windows", "curt_fs._root"])
def test_docstrings(project: Path, module: str) -> None:
    result = doctest.testmod(importlib.import_module(module))
    assert result.failed == 0 and result.attempted > 0


def test_every_function_is_in_the_reference() -> None:
    page = (HERE / "docs/api.md").read_text()
    for name in curt.__all__:
        assert f"`{name}" in page or f"curt.{name}" in page, name
    for name in vars(curt.Root) | vars(curt.Root.__mro__[1]):
        assert name.startswith("_") or f"`{name}" in page, name
