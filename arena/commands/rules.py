"""`arena rules`."""

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from arena.commands.for_programs import Json, print_data, print_json
from arena.errors import OperatorError

rules = App(name="rules", help="List, show, compare, check and begin rule sets.")


@rules.default
@rules.command(name="list")
def listing(*, json_output: Json = False) -> None:
    """List the rule sets that are shipped.

    For example:
      arena rules

    Parameters
    ----------
    json_output
        Print a JSON array.
    """
    from arena import rulebook

    if json_output:
        print_json(rulebook.names())
        return
    for name in rulebook.names():
        print(f"{name:<16}{rulebook.load(name).title}")


@rules.command
def show(name: str, /, *, json_output: Json = False) -> None:
    """Print the effective rules of a rule set, or of a file, with the meaning of each key.

    For example:
      arena rules show online
      arena rules show my-rules.toml --json

    Parameters
    ----------
    name
        A shipped rule set or a TOML file.
    json_output
        Print a JSON object.
    """
    from arena import rule_text, rulebook

    effective = rulebook.effective(name)
    if json_output:
        print_json(effective, indented=True)
    else:
        print_data(rule_text.as_toml(effective).encode())


@rules.command
def check(file: str, /) -> None:
    """Say whether a rule-set file can be played; if not, why. Exit codes: 0 and 2.

    For example:
      arena rules check my-rules.toml

    Parameters
    ----------
    file
        A TOML file, or a shipped rule set.
    """
    from arena import rulebook

    found = rulebook.load(file)
    families = dict.fromkeys(game.family for game in found.games)
    print(f"{file}: fine; {found.name!r}, {found.deck} cards, games: {', '.join(families)}")


@rules.command
def diff(first: str, second: str, /, *, json_output: Json = False) -> None:
    """Print the keys in which two rule sets or files differ.

    For example:
      arena rules diff online online-pro
      arena rules diff online my-rules.toml --json

    Parameters
    ----------
    first
        A shipped rule set or a TOML file.
    second
        Another one.
    json_output
        Print a JSON object: for each key both values, null where one side has none.
    """
    from arena import rulebook
    from arena.rule_text import said

    found = list(rulebook.differing(rulebook.load(first), rulebook.load(second)))
    if json_output:
        print_json({each.key: [each.before, each.after] for each in found})
        return
    if not found:
        print("no difference")
    for key, before, after in found:
        print(f"{key}: {said(before)} | {said(after)}")


@rules.command
def new(file: Path, /, *, base: Annotated[str, Parameter(name="--from")]) -> None:
    """Write a rule-set file that is built on another one, with all its switches explained.

    For example:
      arena rules new my-rules.toml --from online

    Parameters
    ----------
    file
        The file to write; its name becomes the rule set's.
    base
        A shipped rule set.
    """
    from arena import rule_text, rulebook

    if file.suffix != ".toml":
        raise OperatorError(f"{file}: rule-set files end in .toml, so that leagues know them")
    if base not in rulebook.names():
        raise OperatorError(f"{base!r} isn't shipped; allowed: {', '.join(rulebook.names())}")
    content = rule_text.new_file(base, str(file), rulebook.effective(base), file.stem)
    try:
        with file.open("x", encoding="utf-8") as stream:
            stream.write(content)
    except FileExistsError:
        raise OperatorError(f"{file} exists; choose another name or remove it first") from None
    except OSError as error:
        raise OperatorError(f"cannot write {file}: {error.strerror}") from None
    print(f"{file} is like {base!r} until you change it; then: arena rules check {file}")
