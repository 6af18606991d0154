"""`arena log`: show, verify, audit, rescore and describe journals."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from cyclopts import App

from arena.commands.for_programs import Json, print_json, unless_unheard
from arena.commands.log_show import show
from arena.errors import EvidenceError, OperatorError

if TYPE_CHECKING:
    from arena.audit import AuditFindings
    from arena.verify import Findings

log = App(name="log", help="Show, verify, audit, rescore or describe journals.")

UNFINISHED = 4
"""Exit code of `verify` and `audit` for a journal that is right as far as it goes."""

log.command(show)


@log.command
def verify(league: Path, /, *, json_output: Json = False) -> int:
    """Replay every line of a journal through the rules.

    The chain holds a journal together, but whoever has the file can chain another anew. Who
    publishes the footer's `chain`, the journal's last 64 digits, anchors it: from then on nobody
    can change a line unseen.

    Exit codes: 0 complete and right, 2 no journal, 3 contradicted, 4 right as far as it goes
    but unfinished.

    For example:
      arena log verify league.toml
      arena log verify leagues/night/journal.jsonl --json

    Parameters
    ----------
    league
        The league file, its folder, or a journal.
    json_output
        Print a JSON object.
    """
    from arena.commands.places import folder_of
    from arena.verify import Status, verify

    findings = verify(folder_of(league), _progress)
    with unless_unheard():
        if json_output:
            print_json(findings)
        else:
            _tell(findings)
    codes = {
        Status.COMPLETE: 0,
        Status.UNFINISHED: UNFINISHED,
        Status.CONTRADICTED: EvidenceError.exit_code,
    }
    return codes[findings.status]


def _progress(done: int, total: int) -> None:
    _told(done, total, "bytes")


def _told(done: int, total: int, what: str) -> None:
    if sys.stderr.isatty():
        end = "\n" if done == total else ""
        print(f"\r{done} of {total} {what}", end=end, file=sys.stderr, flush=True)


@log.command
def audit(
    league: Path,
    /,
    *,
    look_alikes: int | None = None,
    thorough: bool = False,
    json_output: Json = False,
) -> int:
    """Show that no question told its seat of a card that it may not know.

    Every question of every deal is encoded again. Books that are kept from the journal's lines
    alone say which cards may appear in it. For some decisions the cards that
    the seat can't see are dealt anew: where all that it heard stays the same, its messages
    must stay the same to the byte. What bots were told of faults must follow from their answers.

    What was really sent is proven only where the league file has `journal.sent = true`: then
    digests of questions with their time, of faults and of ended deals are compared. Not covered
    are which questions came in one ask, numbers of asks and strikes, faults that concern no
    deal, the time of sending, `welcome` and `goodbye`. Whether the journal itself is right is
    for `arena log verify` to say.

    Exit codes: 0 nothing found, 3 something found, 4 nothing found but unfinished.

    For example:
      arena log audit league.toml
      arena log audit leagues/night --look-alikes 10
      arena log audit leagues/night/journal.jsonl --thorough --json

    Parameters
    ----------
    league
        The league file, its folder, or a journal.
    look_alikes
        Decisions per deal for which other deals are made up; a few unless it is given.
    thorough
        Make them up for all decisions, which takes several times as long.
    json_output
        Print a JSON object.
    """
    from arena.audit import SAMPLE, audit
    from arena.commands.places import folder_of

    if look_alikes is not None and thorough:
        raise OperatorError("--thorough takes all decisions; leave out --look-alikes, or it")
    if look_alikes is not None and look_alikes < 0:
        raise OperatorError(f"--look-alikes {look_alikes}: 0 is the least")
    sample = SAMPLE if look_alikes is None else look_alikes
    found = audit(
        folder_of(league),
        lambda done, total: _told(done, total, "deals"),
        look_alikes=None if thorough else sample,
    )
    with unless_unheard():
        if json_output:
            print_json(found)
        else:
            _tell_audit(found)
    if found.finding_count:
        return EvidenceError.exit_code
    return 0 if found.finished else UNFINISHED


def _tell_audit(found: "AuditFindings") -> None:
    counts = found.counts
    speed = counts.deals / max(found.seconds, 0.001)
    print(found.proven)
    print(f"deals        {counts.deals} of {found.expected_deals}, {speed:.0f} deals/s")
    print(f"messages     {counts.decisions}, one per decision")
    print(f"unsent       {counts.unsent} decisions without time left to be asked")
    print(f"cards        {counts.cards} shown in them")
    print(f"derived      {counts.handles} handles, {counts.seeds} seeds from the secret")
    print(f"banks        {counts.banks} derived from think times")
    print(f"digests      {counts.digests}, with {counts.reports} reports of faults and ended deals")
    print(f"look-alikes  {counts.alike} of {counts.made_up} deals that were made up")
    print(f"findings     {found.finding_count}")
    for remark in found.remarks:
        print(f"  {remark}")
    for each in found.not_covered:
        print(f"  not covered: {each}")
    for finding in found.findings:
        print(f"  {finding}", file=sys.stderr)
    if found.finding_count > len(found.findings):
        print(f"  and {found.finding_count - len(found.findings)} more", file=sys.stderr)


@log.command
def rescore(
    league: Path,
    /,
    *,
    rules: str,
    output: Path | None = None,
    json_output: Json = False,
) -> None:
    """Settle a league's deals by other prices: tariff, Laufende, thresholds, Ramsch, session.

    No card is played again, so rules that allow other cards or another auction are refused.

    For example:
      arena log rescore league.toml --rules my-rules.toml
      arena log rescore league.toml --rules my-rules.toml --output dearer.jsonl

    Parameters
    ----------
    league
        The league file, its folder, or a journal.
    rules
        A shipped rule set or a TOML file.
    output
        Write a new journal to this file; `arena ratings` and `arena log` take it.
    json_output
        Print a JSON object: the summary, or what was written.
    """
    from arena import rulebook
    from arena.commands.places import folder_of
    from arena.rescoring import Rescorer, summarize

    rescorer = Rescorer(folder_of(league), rulebook.load(rules))
    if output is not None:
        written = rescorer.write(output)
        if json_output:
            print_json({"deals": written, "output": str(output)})
        else:
            print(f"{written} deals in {output}")
        return
    summary = summarize(rescorer)
    if json_output:
        print_json(summary)
        return
    print(f"{summary.deals} deals, {summary.changed} with another payoff; mean per deal:")
    for bot in summary.bots:
        print(f"  {_mean(bot.before)} -> {_mean(bot.after)}  {bot.bot}")


def _mean(value: float | None) -> str:
    return "-" if value is None else f"{value:+.3f}"


@log.command
def schema() -> None:
    """Print the JSON Schema of all lines, and how deals follow from the secret.

    For example:
      arena log schema > journal.schema.json
    """
    from arena.log_schema import schema

    print_json(schema(), indented=True)


def _tell(findings: "Findings") -> None:
    if findings.expected_deals:
        of = f"{findings.deals} of {findings.expected_deals} deals"
    else:
        of = f"{findings.deals} deals; without a header nobody knows of how many"
    print(f"{findings.status.value}: {of}")
    for remark in findings.remarks:
        print(f"  {remark}")
    for contradiction in findings.contradictions:
        print(f"  {contradiction}", file=sys.stderr)
    more = findings.contradiction_count - len(findings.contradictions)
    if more:
        print(f"  and {more} more contradictions", file=sys.stderr)
