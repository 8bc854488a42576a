"""The source distribution has all that a checkout has."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = "from setuptools import build_meta; print(build_meta.build_sdist('dist'))"
LEFT_OUT = {".gitignore", "benches/baselines"}
"""What only a checkout can use."""


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="there is no .git here to say what belongs to it")
def test_the_source_distribution_is_whole(tmp_path: Path) -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    files = {name for name in listed.stdout.split("\0") if name and (ROOT / name).exists()}
    for name in files:  # a copy: building leaves its traces
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    subprocess.run([sys.executable, "-c", BUILD], cwd=tmp_path, capture_output=True, check=True)
    (archive,) = (tmp_path / "dist").iterdir()
    with tarfile.open(archive) as packed:
        there = {member.name.partition("/")[2] for member in packed}
    missing = {name for name in files - there if not any(name.startswith(left) for left in LEFT_OUT)}
    assert not missing
