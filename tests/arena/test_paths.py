"""Paths that are none are the operator's to mend, wherever they are written."""

from pathlib import Path

import pytest

from arena import paths
from arena.errors import OperatorError
from tests.arena.runs import arena

NONE = [
    ("~nobodyy/x", "a home that nobody has"),
    ("a\0b", "a zero byte"),
    ("a" * 300, "a name that no file can have"),
    ("loop", "a link to itself"),
    ("file/below", "a file that is no folder"),
    ("nowhere", "nothing is there"),
]


@pytest.mark.parametrize(("text", "because"), NONE, ids=[row[1] for row in NONE])
def test_a_path_that_is_none(tmp_path: Path, text: str, because: str) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "file").touch()
    with pytest.raises(OperatorError, match=r"^here: "):
        paths.written(text, tmp_path, "here")
    assert not paths.is_file(tmp_path / text), because
    assert not paths.is_folder(tmp_path / text), because


def test_a_path_that_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "file").touch()
    for text in ("file", "~/file", str(tmp_path / "file"), "../" + tmp_path.name + "/file"):
        assert paths.written(text, tmp_path, "here") == (tmp_path / "file").resolve()


@pytest.mark.parametrize(
    "words",
    [
        ["log", "show"],
        ["log", "verify"],
        ["log", "audit"],
        ["ratings"],
        ["status"],
        ["run"],
        ["rules", "show"],
        ["rules", "check"],
        ["register"],
    ],
    ids=" ".join,
)
def test_commands_are_given_a_name_that_no_file_can_have(words: list[str]) -> None:
    told = arena(*words, "a" * 300)
    assert told.returncode == OperatorError.exit_code
    assert "Traceback" not in told.stderr
