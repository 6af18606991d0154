"""What is wrong with a league is said with its file and key, and with what helps."""

import tomllib
from pathlib import Path

import pytest

from arena import registry
from arena.bot_files import BotFiles
from arena.errors import OperatorError
from arena.plan import files_named, make_plan
from tests.arena.offered import lacking
from tests.arena.runs import ROOT, bot, scripted, write_league

DEMO = ROOT / "sample_bots" / "demo.toml"


def refused(file: Path, folder: Path | None = None) -> str:
    with pytest.raises(OperatorError) as error:
        make_plan(file, folder, 1)
    return str(error.value)


def test_a_bot_that_nobody_registered_is_named_with_its_place(tmp_path: Path) -> None:
    registry.register(registry.make("dice", scripted(), tmp_path))
    file = write_league(tmp_path / "league.toml", bots=["dice", "dic"])
    assert refused(file) == (
        f"{file}: bots[1]: no bot named 'dic' is registered; did you mean 'dice'?"
        " `arena bots` lists those that are"
    )


def test_rules_that_nobody_knows_are_named_with_their_place(tmp_path: Path) -> None:
    file = write_league(tmp_path / "league.toml", bots=[bot("b")], rules="onlin")
    assert refused(file).startswith(f"{file}: rules: 'onlin' is neither a rule set nor a file;")
    (tmp_path / "own.toml").write_text('base = "online"\ndck = 32\n')
    file = write_league(tmp_path / "league.toml", bots=[bot("b")], rules="./own.toml")
    assert refused(file).startswith(f"{file}: rules: {tmp_path}/own.toml: dck: unknown key;")


@pytest.mark.parametrize("key", ["readable", "files"])
def test_what_a_bot_lacks_is_named_with_its_place(key: str, tmp_path: Path) -> None:
    file = write_league(tmp_path / "league.toml", bots=[{**bot("a"), key: ["nowhere"]}])
    assert refused(file).startswith(f"{file}: bots[0] (a): {key}: ")


def test_a_folder_of_a_bot_that_is_called_like_its_league(tmp_path: Path) -> None:
    if reason := lacking("landlock"):
        pytest.skip(reason)
    (tmp_path / "st").mkdir()
    file = write_league(tmp_path / "st.toml", bots=[{**bot("stub"), "folder": "st"}])
    said = refused(file)
    assert "the second is the league's own folder, by default called like its file" in said
    assert "choose another with --folder" in said
    assert make_plan(file, tmp_path / "elsewhere", 1).folder == tmp_path / "elsewhere"
    assert "the league's own folder: choose" in refused(file, tmp_path)


def test_files_of_a_bot_that_is_written_out_count(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    module = tmp_path / "bot" / "module.py"
    module.write_text("1")
    entry = {**bot("b"), "folder": "bot"}
    before = make_plan(write_league(tmp_path / "l.toml", bots=[entry]), None, 1)
    file = write_league(tmp_path / "l.toml", bots=[{**entry, "files": ["*.py"]}])
    plan = make_plan(file, None, 1)
    assert plan.header.bots[0].digest != before.header.bots[0].digest
    watched = BotFiles(plan.header.bots, files_named(plan))
    assert not list(watched.changed([0]))
    module.write_text("2")
    assert list(watched.changed([0])) == list(plan.header.bots), "noticed while it is played"
    assert make_plan(file, None, 1).header.bots[0].digest != plan.header.bots[0].digest


def test_the_demo_names_all_that_its_bots_import() -> None:
    folder = DEMO.parent / "python"
    for each in tomllib.loads(DEMO.read_text(encoding="utf-8"))["bots"]:
        named = {path for pattern in each["files"] for path in folder.glob(pattern)}
        named.add(folder / each["command"][1])
        own = {path.stem: path for path in folder.glob("*.py")}
        for path in named:
            words = set(path.read_text(encoding="utf-8").replace("import", " ").split())
            assert {own[word] for word in words & own.keys()} <= named, f"{each['name']}: {path}"
