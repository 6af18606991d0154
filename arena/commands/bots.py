"""`arena register` and `arena bots`."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from arena.commands.for_programs import Json, print_json
from arena.commands.places import named_folder
from arena.errors import OperatorError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from arena.registry import Bot
    from arena.tokens import TokenState

bots = App(name="bots", help="List, show and remove registered bots.")


def register(
    name: str,
    /,
    *command: Annotated[str, Parameter(allow_leading_hyphen=True)],
    version: str = "0",
    folder: Annotated[Path | None, Parameter(converter=named_folder)] = None,
    replace: bool = False,
    trial: Annotated[bool, Parameter(negative="--no-trial")] = True,
    rules: str = "online",
    remote: bool = False,
) -> None:
    """Add a bot, after a trial that shows that it comes up and answers.

    A remote bot gets no trial but a token, with which it dials in at `arena serve`.

    For example:
      arena register "my bot" -- python3 my_bot.py
      arena register fast --version 2 --folder ~/bots/fast -- ./fast --quick
      arena register ~/bots/fast          (a folder with a bot.toml)
      arena register -- -odd- ./odd       (a name that begins with a hyphen)
      arena register "far away" --remote

    Parameters
    ----------
    name
        What the bot is called in leagues; or, without a command, a folder with a bot.toml.
    command
        The program and its arguments, after `--`. It runs in FOLDER.
    version
        Another version is another bot for the ratings.
    folder
        Where the command runs; the current folder by default.
    replace
        Take the place of a registered bot of this name.
    trial
        Start the bot once and play a few deals with it.
    rules
        The rule set of the trial.
    remote
        The bot dials in by itself; print the token that lets it in.
    """
    from arena import registry
    from arena.paths import is_file

    if remote:
        _register_remote(name, version, has_command=bool(command or folder), replace=replace)
        return
    if command:
        bot = registry.make(name, command, folder or Path.cwd(), version)
    elif is_file(Path(name) / registry.MANIFEST):
        bot = registry.from_folder(Path(name))
    else:
        raise OperatorError(
            f"no command for {name!r}, which is no folder with a {registry.MANIFEST} either; give"
            ' it after --, as in: arena register "my bot" -- python3 my_bot.py'
        )
    digest, files = registry.digest(bot)
    if not replace:
        registry.refuse_namesake(bot)  # before the trial, which takes a while
    if trial:
        _try(bot, digest, rules)
    registry.register(bot, replace=replace)
    print(f"registered {bot.name!r}, version {bot.version}: {shlex.join(bot.command)}")
    print(f"it consists of {', '.join(files)}")
    if not is_file(Path(bot.folder) / registry.MANIFEST):
        print(f"what these import can change unnoticed; a {registry.MANIFEST} can name it")


def _register_remote(name: str, version: str, *, has_command: bool, replace: bool) -> None:
    from arena import registry, tokens
    from arena.commands.serve import print_token

    if has_command:
        raise OperatorError("a remote bot dials in by itself; leave out command and folder")
    bot = registry.make_remote(name, version)
    if registry.register(bot, replace=replace):
        print(f"registered {bot.name!r}, version {bot.version}: remote")
        print_token(bot.name, tokens.give(bot.name))
    else:
        print(f"{bot.name!r} is registered already; `arena token new` makes another token")


def _try(bot: "Bot", digest: str, rules: str) -> None:
    from arena import registry, rulebook
    from arena.home import home
    from arena.records import BotEntry, Limits
    from arena.sandbox import Sandbox, choose
    from arena.trial import run_trial

    readable = registry.readable(bot)
    entry = BotEntry(bot.name, bot.version, bot.command, bot.folder, digest, readable)
    sandbox = Sandbox(choose(None, least="limits").level, (str(home()),))
    trial = run_trial(entry, rulebook.load(rules), Limits(), sandbox)
    print(
        f"trial: came up as {trial.announced_name!r}, batches of up to {trial.max_batch}, "
        f"{trial.decisions} decisions, {len(trial.faults)} faults"
    )
    if not trial.played:
        print(
            "  all passed each time: whether it plays cards isn't known; other --rules may show it"
        )
    for fault in trial.faults[:5]:
        print(f"  {fault.fault}: {fault.detail}", file=sys.stderr)


@bots.default
@bots.command(name="list")
def listing(*, json_output: Json = False) -> None:
    """List registered bots.

    For example:
      arena bots
      arena bots list --json

    Parameters
    ----------
    json_output
        Print a JSON array.
    """
    from arena import registry, tokens

    known = registry.listing()
    known_tokens = tokens.states()
    if json_output:
        print_json([_as_dict(bot, known_tokens) for bot in known])
        return
    if not known:
        print("no bots yet; add one with: arena register NAME -- COMMAND")
    for bot in known:
        print(f"{bot.name}\t{bot.version}\t{_start(bot, known_tokens)}")


def _start(bot: "Bot", known_tokens: "Mapping[str, TokenState]") -> str:
    """Say how a bot comes to a table."""
    if not bot.remote:
        return " ".join(bot.command)
    token = known_tokens.get(bot.name)
    if token is None:
        return "remote, no token"
    return f"remote, last seen {token.last_seen or 'never'}"


@bots.command
def show(name: str, /, *, json_output: Json = False) -> None:
    """Show one bot and the digests of its files.

    For example:
      arena bots show "my bot"

    Parameters
    ----------
    name
        A registered bot.
    json_output
        Print a JSON object.
    """
    from arena import registry, tokens

    bot = registry.get(name)
    digest, files = registry.digest(bot)
    content = {**_as_dict(bot, tokens.states()), "digest": digest, "files": files}
    if json_output:
        print_json(content)
        return
    for key, value in content.items():
        print(f"{key}: {_text(value)}")


def _text(value: object) -> str:
    if isinstance(value, dict):
        return "".join(f"\n  {key}  {item}" for key, item in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return shlex.join(value) if isinstance(value, list) else str(value or "-")


@bots.command
def remove(name: str, /) -> None:
    """Forget a bot; journals that it played in stay as they are.

    For example:
      arena bots remove "my bot"

    Parameters
    ----------
    name
        A registered bot.
    """
    from arena import registry

    registry.remove(name)
    print(f"removed {name!r}")


def _as_dict(bot: "Bot", known_tokens: "Mapping[str, TokenState]") -> dict[str, object]:
    content: dict[str, object] = {
        "name": bot.name,
        "version": bot.version,
        "command": list(bot.command),
        "folder": bot.folder,
        "registered": bot.registered,
    }
    if not bot.remote:
        return content
    token = known_tokens.get(bot.name)
    return {
        **content,
        "remote": True,
        "token_made": token and token.made,
        "last_seen": token and token.last_seen,
    }
