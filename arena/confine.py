"""A small program that limits and locks itself, and then becomes a bot.

Run as `python -I -S confine.py WORD... -- COMMAND...`; `arena.sandbox` writes the words. It
imports nothing of the arena and little of Python's, for it runs at every launch of a bot.
"""

import ctypes
import os
import resource
import struct
import sys
from collections.abc import Iterator, Sequence

_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38
_SIGKILL, _LAST_SIGNAL = 9, 64
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
"""System calls of landlock, alike on all machines."""
_ASK_VERSION, _RULE_PATH = 1, 1
_CAPABILITIES_VERSION = 0x20080522
_NOT_EXECUTABLE, _NOT_FOUND = 126, 127
"""Exit codes, as a shell's."""

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_MAKE_BLOCK, _REFER, _TRUNCATE, _IOCTL_DEV = 1 << 11, 1 << 13, 1 << 14, 1 << 15
_UP_TO_MAKE_SYMLINK = (1 << 13) - 1
_OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | _TRUNCATE | _IOCTL_DEV
_BIND_AND_CONNECT_TCP = 0b11
_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11
_NETWORK_SINCE, _SCOPES_SINCE = 4, 6

_PR_GET_SECCOMP = 21
_FILTER_MODE, _NO_SLOWER = 1, 4
"""Of the system call that installs a filter; the flag keeps the processor's guesses on."""
_LOAD, _IF_EQUAL, _IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
"""Instructions of a filter of system calls."""
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
"""Where a filter finds what it judges; of an argument, the half that comes first."""
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_NOT_PERMITTED, _NO_LOCKS, _NO_SUCH_CALL, _NOT_SUPPORTED = 1, 37, 38, 97
_UNIX_SOCKETS, _ITSELF = 1, 0
_OTHER_CALLING_CONVENTION = 0x40000000
_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""Each machine's name for itself in filters."""
_LOCKING = (5, 6, 7, 36, 37, 38, 1024, 1026)
"""What fcntl is asked for locks, leases and news of a folder: by process and by open file."""
_REFUSED = {
    # By which all others could be done.
    "io_uring_setup": (425, 425),
    # Files that all bots see have locks that all bots see, and tell who opens them.
    "flock": (73, 32), "inotify_init": (253, None), "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    # Memory that is in nobody's account, which others find, or which outlives its makers.
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "mq_open": (240, 180),
    "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195),
    "semget": (64, 190), "semop": (65, 193), "semctl": (66, 191), "semtimedop": (220, 192),
    "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188), "msgctl": (71, 187),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
}  # fmt: skip
"""System calls that no bot has, by their numbers on the machines above."""
_JUDGED = {
    "socket": (41, 198), "prlimit": (302, 261), "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118), "sched_setattr": (314, 274), "setpriority": (141, 140),
    "ioprio_set": (251, 30), "fcntl": (72, 25),
}  # fmt: skip
_INSTALL = (317, 277)
"""The system call by which a filter is installed."""
_ONLY = (
    ("socket", 0, _UNIX_SOCKETS, _NOT_SUPPORTED),
    *((name, 0, _ITSELF, _NOT_PERMITTED)
      for name in ("prlimit", "sched_setscheduler", "sched_setparam", "sched_setattr")),
    *((name, 1, _ITSELF, _NOT_PERMITTED) for name in ("setpriority", "ioprio_set")),
)  # fmt: skip
"""Where no namespaces keep a bot apart: which argument of a call has to be what, or the error."""

_LIBC = ctypes.CDLL(None, use_errno=True)


class _Ruleset(ctypes.Structure):
    _fields_ = (
        ("files", ctypes.c_uint64),
        ("network", ctypes.c_uint64),
        ("scopes", ctypes.c_uint64),
    )


class _Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _layout_ = "ms"  # newer Pythons want it beside _pack_
    _fields_ = (("access", ctypes.c_uint64), ("folder", ctypes.c_int32))


def landlock_version() -> int:
    """Return the kernel's version of landlock; 0 where it has none."""
    return max(0, int(_LIBC.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION)))


def lock(version: int, rules: Sequence[tuple[int, str]]) -> None:
    """Give up all files but these, TCP, and signals to whom this process didn't start.

    Each rule is what may be done, and the file or folder. Raises OSError.
    """
    files = _UP_TO_MAKE_SYMLINK
    for since, right in ((2, _REFER), (3, _TRUNCATE), (5, _IOCTL_DEV)):
        files |= right if version >= since else 0
    network = _BIND_AND_CONNECT_TCP if version >= _NETWORK_SINCE else 0
    scopes = _ABSTRACT_SOCKETS_AND_SIGNALS if version >= _SCOPES_SINCE else 0
    _enforce(version, _Ruleset(files, network, scopes), rules)


def seal(version: int) -> None:
    """Start a domain that forbids hardly a thing, but from which nobody outside is traced."""
    _enforce(version, _Ruleset(_MAKE_BLOCK, 0, 0), ())


def can_filter_calls(machine: str) -> bool:
    """Return whether `filter_calls` knows this machine's system calls, and the kernel filters."""
    return machine in _ARCHITECTURES and _LIBC.prctl(_PR_GET_SECCOMP, 0, 0, 0, 0) >= 0


def filter_calls(machine: str, *, namespaces: bool) -> None:
    """Refuse what bots could talk or hoard by, past landlock and namespaces.

    Without `namespaces` also networks, and limits and priorities of others. Only where
    `can_filter_calls`. Raises OSError.
    """
    instructions = b"".join(_instructions(machine, () if namespaces else _ONLY))
    held = ctypes.create_string_buffer(instructions, len(instructions))
    program = _Filter(len(instructions) // 8, ctypes.addressof(held))
    _call(_INSTALL[_column(machine)], _FILTER_MODE, _NO_SLOWER, ctypes.byref(program))


def _column(machine: str) -> int:
    """Return where the tables above have a machine's numbers."""
    return list(_ARCHITECTURES).index(machine)


def _instructions(machine: str, only: Sequence[tuple[str, int, int, int]]) -> Iterator[bytes]:
    column = _column(machine)

    def one(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
        """Return an instruction; jumps are over so many of those that follow."""
        return struct.pack("HBBI", code, then, otherwise, value)

    yield one(_LOAD, _ARCHITECTURE)
    yield one(_IF_EQUAL, _ARCHITECTURES[machine], 1, 0)
    yield one(_RETURN, _REFUSE | _NO_SUCH_CALL)  # by another machine's numbers
    yield one(_LOAD, _NUMBER)
    yield one(_IF_AT_LEAST, _OTHER_CALLING_CONVENTION, 0, 1)
    yield one(_RETURN, _REFUSE | _NO_SUCH_CALL)
    for name, numbers in _REFUSED.items():
        number = numbers[column]
        if number is not None:
            yield one(_IF_EQUAL, number, 0, 1)
            yield one(_RETURN, _REFUSE | (_NO_LOCKS if name == "flock" else _NO_SUCH_CALL))
    for name, argument, wanted, error in only:
        yield one(_IF_EQUAL, _JUDGED[name][column], 0, 4)
        yield one(_LOAD, _FIRST_ARGUMENT + 8 * argument)
        yield one(_IF_EQUAL, wanted, 1, 0)
        yield one(_RETURN, _REFUSE | error)
        yield one(_RETURN, _ALLOW)
    yield one(_IF_EQUAL, _JUDGED["fcntl"][column], 1, 0)
    yield one(_RETURN, _ALLOW)
    yield one(_LOAD, _FIRST_ARGUMENT + 8)
    for asked in _LOCKING:
        yield one(_IF_EQUAL, asked, 0, 1)
        yield one(_RETURN, _REFUSE | _NO_LOCKS)
    yield one(_RETURN, _ALLOW)


def _enforce(version: int, wanted: _Ruleset, rules: Sequence[tuple[int, str]]) -> None:
    size = 8 if version < _NETWORK_SINCE else 16 if version < _SCOPES_SINCE else 24
    ruleset = _call(_CREATE_RULESET, ctypes.byref(wanted), ctypes.c_size_t(size), 0)
    for rights, path in rules:
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            continue  # not there, or not for us: nothing that could be allowed
        access = rights & wanted.files & (~0 if _is_folder(place) else _OF_FILES)
        rule = _Beneath(access, place)
        if access:
            _call(_ADD_RULE, ruleset, _RULE_PATH, ctypes.byref(rule), 0)
        os.close(place)
    _call(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _is_folder(descriptor: int) -> bool:
    return os.fstat(descriptor).st_mode & 0o170000 == 0o040000


def _call(number: int, *arguments: object) -> int:
    result: int = _LIBC.syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def _give_up_privileges() -> None:
    """Keep root's number, where that is ours, but nothing of its might."""
    _LIBC.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    head = (ctypes.c_uint32 * 2)(_CAPABILITIES_VERSION, 0)
    if _LIBC.capset(head, (ctypes.c_uint32 * 6)()) != 0:
        raise OSError(ctypes.get_errno(), "capabilities can't be given up")


def _tie_to(parent: int) -> None:
    """End with the process that started this one; at once, if it has ended already."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), _SIGKILL)


def _limit(name: str, most: int) -> None:
    kind = getattr(resource, f"RLIMIT_{name}")
    _, hard = resource.getrlimit(kind)
    allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(kind, (allowed, allowed))


def _be_killed_first() -> None:
    """Tell the kernel to take bots, and not the arena, where memory runs out."""
    try:
        with open("/proc/self/oom_score_adj", "wb") as file:  # noqa: PTH123
            file.write(b"1000")
    except OSError:
        return  # no such file in some containers


_RIGHTS = {
    "read": EXECUTE | READ_FILE | READ_DIR,
    "list": READ_DIR,
    "use": READ_FILE | WRITE_FILE | _IOCTL_DEV,
    "write": ~0,
}


def _confine(words: Sequence[str]) -> None:
    rules: list[tuple[int, str]] = []
    version = landlock_version()
    for word in words:
        name, _, value = word.partition("=")
        if name == "parent":
            _tie_to(int(value))
        elif name == "cores":
            os.sched_setaffinity(0, map(int, value.split(",")))
        elif name in _RIGHTS:
            rules.append((_RIGHTS[name], value))
        elif name != "seal":
            _limit(name, int(value))
    _be_killed_first()
    _give_up_privileges()
    apart = "seal" in words
    if rules:
        lock(version, rules)
    elif apart and version > 0:
        seal(version)
    machine = os.uname().machine
    if (rules or apart) and can_filter_calls(machine):
        filter_calls(machine, namespaces=apart)


def _become(command: Sequence[str]) -> None:
    # A bot would inherit what Python or our parents ignore.
    for number in range(1, _LAST_SIGNAL + 1):
        _LIBC.signal(number, None)
    program, denied = command[0], False
    folders = [""] if "/" in program else os.environ.get("PATH", os.defpath).split(":")
    for folder in folders:  # os.execvp would import more, which may be out of sight by now
        try:
            os.execv(os.path.join(folder, program), list(command))  # noqa: PTH118, S606
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError:
            denied = True
    problem = "not executable, or not to be seen from here" if denied else "not found"
    sys.stderr.write(f"{program}: {problem}\n")
    sys.exit(_NOT_EXECUTABLE if denied else _NOT_FOUND)


def main() -> None:
    """Do what the words say and become the command."""
    end = sys.argv.index("--")
    _confine(sys.argv[1:end])
    _become(sys.argv[end + 1 :])


if __name__ == "__main__":
    main()
