"""What is said of the fields of records: in their source, or here where a name says enough there.

Who reads the source knows the words of the house; who reads the published schema may not.
"""

import ast
import inspect
from types import ModuleType
from typing import Final

KIND: Final = "What the line is; the other fields follow from it."

FOR_STRANGERS: Final[dict[str, dict[str, str]]] = {
    "Key": {
        "lineup": "Index into the header's `schedule.lineups`: which four bots.",
        "arrangement": "Which of the lineup's cyclic orders they sit in.",
        "seating": "By how many seats that order is turned.",
        "session": "Number of the deal's session: the deal's number div `session_deals`.",
        "deal": "Number of the deal, from 0: cards and forehand follow from it and the secret.",
    },
    "BotEntry": {
        "name": "The bot's name, unique within the league.",
        "version": "The bot's version, as its operator or author counts.",
        "command": "Program and arguments, as they were started.",
    },
    "Header": {
        "format": "Version of the journal's format, as `journal_format` of this schema.",
        "league": "The league's name.",
        "protocol": "Version of the protocol that arena and bots talk.",
        "bots": "The bots that took part; other lines name them by their index here, from 0.",
        "schedule": "Who plays which deals.",
        "limits": "Time and goods that each bot had.",
        "recording": "What deal lines hold beyond the usual.",
    },
    "FaultLine": {
        "seat": "The seat whose bot was at fault.",
        "fault": (
            "`late`: no answer in time; `illegal`: an action that the rules forbid; `garbled`: "
            "what can't be read as an answer; `gone`: the bot had ended or its stream had broken."
        ),
        "detail": "The same for people; nothing is to be read out of it.",
    },
    "Result": {
        "declarer": "Seat that plays the game; null in Ramsch or when all passed.",
        "tricks": "Tricks that each seat took.",
        "schneider": "Whether the losers stayed below the Augen that the rules ask of them.",
        "schwarz": "Whether the losers took no trick, or no Augen where the rules say so.",
        "doublings": "How often the payoff was doubled: by Klopfen, by Stoß, in a Bock round.",
    },
    "DealLine": {
        "key": "Which deal, played by whom in which seats.",
        "forehand": "Seat that bids first.",
        "hands": "The cards that each seat was dealt, as `notation` says.",
        "faults": "Decisions that the house made in a bot's place.",
        "result": "How the deal ended.",
    },
    "IncidentLine": {
        "incident": (
            "`shard_lost`: a shard's process died, its open deals are played again; `bot_failed`: "
            "a bot didn't start, or was stood down; `bot_suspended`: it isn't started again in "
            "this run; `bot_changed`: its files aren't those of the header; `resumed`: another "
            "run goes on from here; `torn_line`: a last line that was cut off was taken out; "
            "`reconnected`: a remote bot's stream broke and came back in time; `seen_deals`: "
            "deals that remote bots saw before something broke, never played again."
        ),
        "detail": "The same for people; nothing is to be read out of it.",
        "shard": "Id of the shard that it befell, as `places` says; null for none.",
        "bot": "Name of the bot that it befell; null for none.",
        "chain": "As in a deal's line.",
    },
    "Footer": {
        "time": "UTC, ISO 8601.",
        "chain": "As in a deal's line.",
    },
}
"""By record and field."""


def field_texts(module: ModuleType) -> dict[str, dict[str, str]]:
    """Return, for each record of a module, the text of each field; Python itself drops them."""
    tree = ast.parse(inspect.getsource(module))
    records = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    return {each.name: FOR_STRANGERS.get(each.name, {}) | _texts_of(each) for each in records}


def _texts_of(record: ast.ClassDef) -> dict[str, str]:
    texts: dict[str, str] = {}
    for field, below in zip(record.body, record.body[1:], strict=False):
        match field, below:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=text)):
                texts[name] = inspect.cleandoc(str(text))
    return texts
