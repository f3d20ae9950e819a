from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    for directory in ("a/b/c", "a/empty", "x", "space here", "grün"):
        (root / directory).mkdir(parents=True)
    for name in ("a/one", "a/b/two", "a/b/c/three", "top", "grün/ñ", "space here/new\nline"):
        (root / name).write_text(name)
    for name, target in (("to-directory", "a"), ("to-file", "top"), ("broken", "nowhere"), ("loop", "loop")):
        (root / name).symlink_to(target)
        # Following a link sets its time of access, unless that is in the future.
        os.utime(root / name, (2**32, 0), follow_symlinks=False)
    os.mkfifo(root / "fifo")
    with open(os.fsencode(root) + b"/not-\xff-unicode", "w"):
        pass
    return root


@pytest.fixture
def quick(tmp_path: Path) -> Iterator[Path]:
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else tmp_path
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)
