"""Whether a league can have begun with a header, so that readers may rely on what it says."""

from arena import rulebook
from arena.names import shown
from arena.records import Header
from engine.errors import RuleSetError
from engine.ruleset import rule_set


def impossible(header: Header) -> str | None:
    """Return why no deal can follow from this header, beyond its fields' bounds, or None."""
    return _names(header) or _schedule(header) or _rules(header)


def _names(header: Header) -> str | None:
    """Leagues are begun with names that no terminal is steered by."""
    texts = [header.league, *(text for bot in header.bots for text in (bot.name, bot.version))]
    steering = next((text for text in texts if shown(text) != text), None)
    return None if steering is None else f"the name {steering!r} holds control characters"


def _schedule(header: Header) -> str | None:
    plan = header.schedule
    if plan.deals % plan.session_deals or plan.slice_deals % plan.session_deals:
        return "schedule: session_deals cuts a session"
    if max(map(max, plan.lineups)) >= len(header.bots):
        return "schedule: a lineup has a bot that isn't listed"
    return None


def _rules(header: Header) -> str | None:
    try:
        rules = rule_set(header.rules)
    except RuleSetError as error:
        return f"rules: {error}"
    if header.schedule.fixed_partners != rulebook.fixed_partners(rules):
        return "schedule: fixed_partners isn't what the rules say"
    if rules.session.carries and header.schedule.session_deals == 1:
        return "schedule: the rules carry something on, but sessions have one deal"
    return None
