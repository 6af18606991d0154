"""Scratch folders: gone afterwards, and never somebody else's."""

import fcntl
import subprocess
import sys
from pathlib import Path

import pytest

from arena.scratch import remove_abandoned, remove_forgotten, scratch_folder
from tests.arena.offered import lacking
from tests.arena.runs import PATIENCE_S, ROOT


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("arena.scratch._LONGEST_PATH", 1000)
    return tmp_path


def test_it_is_gone_afterwards(temporary: Path) -> None:
    with scratch_folder() as folder:
        assert folder.parent == temporary
        (folder / "left").write_text("by a bot")
    assert not folder.exists()


def test_forgotten_ones_are_removed_and_no_others(temporary: Path) -> None:
    (temporary / "arena-dead").mkdir()
    (temporary / "arena-dead" / "owner").touch()
    (temporary / "arena-of-somebody").mkdir()
    (temporary / "else").mkdir()
    with scratch_folder() as used:
        remove_forgotten()
        left = {each.name for each in temporary.iterdir()}
    assert left == {used.name, "arena-of-somebody", "else"}


def test_one_in_use_is_left_alone() -> None:
    with scratch_folder() as folder:
        remove_abandoned(folder)
        assert folder.exists()


def test_an_abandoned_one_is_removed(temporary: Path) -> None:
    folder = temporary / "arena-dead"
    folder.mkdir()
    (folder / "owner").touch()
    remove_abandoned(folder)
    assert not folder.exists()


@pytest.mark.parametrize(
    ("name", "owner", "because"),
    [
        ("precious", True, "another name"),
        ("arena-precious", False, "nobody's scratch"),
        ("deeper/arena-precious", True, "not in the temporary folder"),
    ],
)
def test_anything_else_is_left_alone(name: str, owner: bool, because: str, temporary: Path) -> None:
    folder = temporary / name
    folder.mkdir(parents=True)
    if owner:
        (folder / "owner").touch()
    remove_abandoned(folder)
    assert folder.exists(), because


CANT_BE_NOBODY = 77
LOCKED = """
import os, sys
from pathlib import Path
from arena.scratch import remove_tree
if os.getuid() == 0:  # to whom nothing is locked
    try:
        os.setgroups([])
        os.setresgid(65534, 65534, 65534)
        os.setresuid(65534, 65534, 65534)
    except OSError as error:  # as in a container that knows root alone
        print(error)
        sys.exit(77)
folder = Path(sys.argv[1])
inner = folder / "a" / "b"
inner.mkdir(parents=True)
(inner / "file").touch()
inner.chmod(0)
(folder / "a").chmod(0o500)
remove_tree(folder)
sys.exit(folder.exists())
"""


DEEP = """
import os, sys
from pathlib import Path
from arena.scratch import remove_tree
folder = Path(sys.argv[1])
folder.mkdir()
home = os.getcwd()
os.chdir(folder)
for _ in range(3000):
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
os.chdir(home)
remove_tree(folder)
sys.exit(folder.exists())
"""


def test_a_world_that_was_never_finished_is_ended(
    tmp_path: Path,
) -> None:
    """What bubblewrap leaves when it is killed at the wrong moment looks like this from outside."""
    if reason := lacking("bubblewrap"):
        pytest.skip(reason)
    kept, forgotten = (tmp_path / name for name in ("arena-kept", "arena-forgotten"))
    for folder in (kept, forgotten):
        (folder / "seat").mkdir(parents=True)
        (folder / "owner").touch()
    world = (
        "bwrap",
        "--die-with-parent",
        "--ro-bind",
        "/",
        "/",
        "--dev",
        "/dev",
        "--unshare-pid",
        "--tmpfs",
    )
    with (
        (kept / "owner").open() as owner,
        subprocess.Popen([*world, kept / "seat", "sleep", "1000"]) as other,
        subprocess.Popen([*world, forgotten / "seat", "sleep", "1000"]) as stuck,
    ):
        fcntl.flock(owner, fcntl.LOCK_EX)
        try:
            remove_forgotten()
            stuck.wait(PATIENCE_S)
            assert other.poll() is None
        finally:
            other.kill()
            stuck.kill()
    assert kept.exists()
    assert not forgotten.exists()


@pytest.mark.parametrize("program", [LOCKED, DEEP], ids=["locked", "deep"])
def test_what_a_bot_has_made_of_it_is_removed(program: str, short: Path) -> None:
    """In a short folder, since a test's own is closed to nobody."""
    short.chmod(0o777)
    command = [sys.executable, "-c", program, str(short / "scratch")]
    ran = subprocess.run(command, check=False, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if ran.returncode == CANT_BE_NOBODY:
        pytest.skip(f"root can't become somebody else here: {ran.stdout}")
    assert ran.returncode == 0
