"""Ties a process to the one that starts it. Imports nothing heavy: the bridge needs it too."""

import os
import shutil


def tethered() -> list[str]:
    """Return a command's prefix that has the kernel kill it when this process is killed.

    The shell looks whether that happened before the kernel was told.
    """
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        return []
    still_here = '[ "$PPID" = "$0" ] && exec "$@"'
    return [setpriv, "--pdeathsig", "KILL", "--", "sh", "-c", still_here, str(os.getpid())]
