"""What bots print: kept in bounded, rotated files."""

from io import FileIO
from pathlib import Path
from typing import Final

_MOST_BYTES: Final = 1 << 20


class BoundedLog:
    """A file that is rotated once when it is full, so that it never grows beyond two parts.

    Failing to write is silent: a full disk must not stop a game for the sake of chatter.
    """

    def __init__(self, path: Path, most_bytes: int = _MOST_BYTES) -> None:
        self._path = path
        self._most_bytes = most_bytes
        self._file: FileIO | None = None
        self._size = 0

    def write(self, data: bytes) -> None:
        """Append, rotating first if the file is full."""
        try:
            file = self._open()
            self._size += file.write(data)
        except OSError:
            self.close()

    def close(self) -> None:
        """Close the file; a later write opens it again."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _open(self) -> FileIO:
        if self._file is not None and self._size >= self._most_bytes:
            self.close()
            self._path.replace(self._path.with_name(self._path.name + ".1"))
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("ab", buffering=0)  # so that closing can't fail
            self._size = self._file.tell()
        return self._file
