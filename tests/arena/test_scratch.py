"""Scratch folders: gone afterwards, and never somebody else's."""

from pathlib import Path

import pytest

from arena.scratch import remove_abandoned, scratch_folder


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
