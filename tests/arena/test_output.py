"""What bots print is kept within bounds, and is never a reason to stop."""

from pathlib import Path

import pytest

from arena.output import BoundedLog

MEBIBYTE = 1 << 20


def sizes(path: Path) -> dict[str, int]:
    return {file.name: file.stat().st_size for file in path.iterdir()}


def test_output_is_appended(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "bot.log"
    for text in (b"one\n", b"two\n"):
        log = BoundedLog(file)
        log.write(text)
        log.close()
    assert file.read_bytes() == b"one\ntwo\n"
    assert sizes(file.parent) == {"bot.log": 8}


def test_a_full_file_makes_room(tmp_path: Path) -> None:
    log = BoundedLog(tmp_path / "bot.log")
    for number in range(100):
        log.write(bytes([number]) * 65_536)
    log.write(b"the last line\n")
    log.close()
    assert set(sizes(tmp_path)) == {"bot.log", "bot.log.1"}
    assert sum(sizes(tmp_path).values()) <= 2 * MEBIBYTE + 65_536 + 14
    assert (tmp_path / "bot.log").read_bytes().endswith(b"the last line\n")


def test_an_old_full_file_makes_room_too(tmp_path: Path) -> None:
    file = tmp_path / "bot.log"
    file.write_bytes(b"x" * 2 * MEBIBYTE)
    log = BoundedLog(file)
    log.write(b"first\n")
    log.write(b"second\n")
    log.close()
    assert file.read_bytes() == b"second\n"


def test_writing_goes_on_after_a_close(tmp_path: Path) -> None:
    log = BoundedLog(tmp_path / "bot.log")
    log.write(b"one")
    log.close()
    log.close()
    log.write(b"two")
    log.close()
    assert (tmp_path / "bot.log").read_bytes() == b"onetwo"


@pytest.mark.parametrize("place", ["/proc/no/such.log", "/dev/full"])
def test_a_disk_that_fails_is_no_reason_to_stop(place: str) -> None:
    log = BoundedLog(Path(place))
    for _ in range(3):
        log.write(b"chatter")
    log.close()


def test_a_folder_in_the_way_is_no_reason_to_stop(tmp_path: Path) -> None:
    log = BoundedLog(tmp_path)
    log.write(b"chatter")
    log.close()
    assert not sizes(tmp_path)
