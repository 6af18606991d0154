"""`arena rules`: what is written can be read, and what is refused says why."""

import json
import tomllib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from arena import rule_text, rulebook
from arena.cli import main
from engine.ruleset import rule_set

Said = Callable[..., tuple[int, str, str]]


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Said:
    """Run a command in this process; return its exit code, output and errors."""

    def run(*words: object) -> tuple[int, str, str]:
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


@pytest.mark.parametrize("name", rulebook.names())
def test_what_show_writes_is_a_rule_set_file(name: str, said: Said, tmp_path: Path) -> None:
    code, shown, _ = said("rules", "show", name)
    assert code == 0
    assert rule_set(tomllib.loads(shown)) == rulebook.load(name)
    (tmp_path / "copy.toml").write_text(shown)
    assert said("rules", "diff", name, tmp_path / "copy.toml") == (0, "no difference\n", "")
    as_json = json.loads(said("rules", "show", name, "--json")[1])
    assert rule_set(as_json) == rulebook.load(name)


@pytest.mark.parametrize("base", rulebook.names())
def test_a_new_file_is_its_base_until_it_is_changed(base: str, said: Said, tmp_path: Path) -> None:
    file = tmp_path / "house.toml"
    assert said("rules", "new", file, "--from", base)[0] == 0
    assert said("rules", "diff", base, file) == (0, "no difference\n", "")
    assert rulebook.load(str(file)).name == "house"
    code, out, _ = said("rules", "check", file)
    assert (code, out.startswith(f"{file}: fine; 'house'")) == (0, True)


def test_each_key_of_a_new_file_can_be_had_by_taking_the_mark_away(
    said: Said, tmp_path: Path
) -> None:
    file = tmp_path / "house.toml"
    said("rules", "new", file, "--from", "sauspiel")
    lines = file.read_text().splitlines()
    marked = [number for number, line in enumerate(lines) if line[:1] == "#" and line[1:2] > " "]
    assert len(marked) > 30
    for number in marked:
        changed = [*lines[:number], lines[number][1:], *lines[number + 1 :]]
        file.write_text("\n".join(changed) + "\n")
        assert said("rules", "diff", "sauspiel", file) == (0, "no difference\n", ""), lines[number]
    file.write_text("\n".join(line[1:] if n in marked else line for n, line in enumerate(lines)))
    assert said("rules", "diff", "sauspiel", file)[1] == "no difference\n"


def test_every_switch_is_explained() -> None:
    lines = rule_text.as_toml(rulebook.effective("online")).splitlines()
    plain = {"name", "title", "schneider", "decides"}  # their names and values say it all
    unexplained = [
        line
        for before, line in pairwise(lines)
        if " = " in line and not before.startswith("# ") and line.split()[0] not in plain
    ]
    assert not unexplained


def test_a_change_shows(said: Said, tmp_path: Path) -> None:
    file = tmp_path / "dear.toml"
    file.write_text('base = "online"\n[tariff.base]\nwenz = 80\n[stoss]\nsteps = 1\n')
    code, out, _ = said("rules", "diff", "online", file)
    assert (code, out.splitlines()) == (0, ["stoss.steps: 0 | 1", "tariff.base.wenz: 50 | 80"])
    as_json = json.loads(said("rules", "diff", file, "tutorial", "--json")[1])
    assert as_json["tariff.base.wenz"] == [80, 50]
    assert as_json["tariff.base.sie"] == [50, None]
    assert not {"name", "title", "source"} & set(as_json)


def test_an_odd_title_survives(tmp_path: Path) -> None:
    title = 'Ödön\'s "rules" \\ # \t\x7f[table]\n'
    rules = {**rulebook.effective("online"), "title": title}
    assert tomllib.loads(rule_text.as_toml(rules))["title"] == title
    assert tomllib.loads(rule_text.new_file("online", "x", rules, title))["title"] == title


REFUSED = [
    (["show", "skat"], "'skat' is neither", "no such rule set"),
    (["check", "{wrong}"], "wrong.toml: tariff.schneider: expected int", "a wrong value"),
    (["check", "{nowhere}"], "nowhere.toml' is neither", "no file"),
    (["diff", "online", "{wrong}"], "tariff.schneider", "one side is wrong"),
    (["new", "{wrong}", "--from", "online"], "wrong.toml exists", "a file is never replaced"),
    (["new", "{folder}/a", "--from", "online"], "end in .toml", "no league would know it"),
    (["new", "{folder}/a.toml", "--from", "skat"], "'skat' isn't shipped", "no base"),
    (["new", "{folder}/no/a.toml", "--from", "online"], "cannot write", "no folder"),
]


@pytest.mark.parametrize(("words", "problem", "because"), REFUSED, ids=[row[2] for row in REFUSED])
def test_what_is_refused(
    words: list[str], problem: str, because: str, said: Said, tmp_path: Path
) -> None:
    wrong = tmp_path / "wrong.toml"
    content = 'base = "online"\n[tariff]\nschneider = "ten"\n'
    wrong.write_text(content)
    places = {"wrong": wrong, "nowhere": tmp_path / "nowhere.toml", "folder": tmp_path}
    code, out, err = said("rules", *(word.format(**places) for word in words))
    assert (code, out) == (2, ""), because
    assert err.startswith("arena: ")
    assert problem in err
    assert wrong.read_text() == content
    assert sorted(tmp_path.iterdir()) == [wrong]
