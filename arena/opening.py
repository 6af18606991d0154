"""Opens a league's journal, new or to be resumed, and seats the coordinator before it."""

import contextlib
from collections.abc import Iterator

from arena import cut_off, dealing, journal_read, seen
from arena.errors import OperatorError
from arena.journal import Writer
from arena.journal_read import has_begun
from arena.league import Coordinator
from arena.paths import is_file
from arena.plan import Plan, now
from arena.records import DealLine, IncidentLine
from arena.resuming import compare_headers
from arena.scratch import remove_forgotten, scratch_folder
from arena.status import deals_told


@contextlib.contextmanager
def opened(plan: Plan) -> Iterator[Coordinator | None]:
    """Open a league's journal, new or to be resumed; None when the league is over.

    Raises OperatorError when another arena has it, when it was begun differently, or when it
    is gone.
    """
    refuse_lost(plan)
    with Writer(plan.folder) as journal:
        remove_forgotten()
        if journal.closed_by_footer:
            yield None
            return
        _begin_or_resume(plan, journal)
        with scratch_folder() as scratch:
            # For people: where the processes of this run have their files.
            (plan.folder / "scratch").write_text(f"{scratch}\n", encoding="utf-8")
            coordinator = Coordinator(plan, journal, scratch)
            try:
                coordinator.recall()
                yield coordinator
            finally:
                if coordinator.status.state == "running":
                    coordinator.status.state = "stopped"
                coordinator.publish()


def refuse_lost(plan: Plan) -> None:
    """Raise OperatorError where deals were played and their journal is gone.

    Nothing begins anew there, nor is what is left of the journal moved aside.
    """
    if has_begun(plan.folder):
        return
    deals = deals_told(plan.folder)
    if deals == 0 or (deals is None and not is_file(plan.folder / dealing.FILE_NAME)):
        return
    had = "began" if deals is None else f"had {deals} deals"
    raise OperatorError(
        f"the journal of a league that {had} is gone from {plan.folder};"
        " restore it, or use another folder"
    )


def changes(plan: Plan) -> list[str]:
    """Return in what a league that has begun differs from the plan; nothing where it hasn't."""
    if not has_begun(plan.folder):
        return []
    return compare_headers(journal_read.header(plan.folder), plan.header)


def refuse_changes(plan: Plan) -> None:
    """Raise OperatorError where a league was begun differently."""
    _refuse(changes(plan), plan)


def _refuse(differences: list[str], plan: Plan) -> None:
    if differences:
        raise OperatorError(
            f"{plan.folder / journal_read.FILE_NAME} was begun differently:\n  "
            + "\n  ".join(differences)
            + "\nUndo the change to go on, or start a new league in another folder."
        )


def deals_there(plan: Plan) -> int:
    """Return how many deals a league's journal has, 0 where there is none yet."""
    if not has_begun(plan.folder):
        return 0
    return sum(isinstance(line, DealLine) for _, line in journal_read.read(plan.folder))


def _begin_or_resume(plan: Plan, journal: Writer) -> None:
    if journal.header is None:
        for name in (seen.FOLDER, dealing.FILE_NAME):  # of a journal that never began
            dealing.set_aside(plan.folder / name)
        dealing.store_secret(plan.folder / dealing.FILE_NAME, plan.secret)
        journal.append(plan.header)
        return
    _refuse(compare_headers(journal.header, plan.header), plan)
    detail = f"{len(journal.done)} deals were there"
    isolation = plan.header.isolation
    journal.append(IncidentLine(time=now(), incident="resumed", detail=detail, isolation=isolation))
    cut_off.give_up_all(plan.folder, journal)
