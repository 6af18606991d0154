"""The filter of system calls, run by hand for each machine that it knows."""

import os
import struct

import pytest

from arena import confine

ALLOWED = 0x7FFF0000


def verdict(program: bytes, architecture: int, number: int, *arguments: int) -> int:
    """Run a program as the kernel does; return what it says of a call."""
    data = struct.pack("IIQ6Q", number, architecture, 0, *(*arguments, *[0] * 6)[:6])
    instructions = list(struct.iter_unpack("HBBI", program))
    place = value = 0
    while True:
        code, then, otherwise, operand = instructions[place]
        place += 1
        match code:
            case 0x20:
                (value,) = struct.unpack_from("I", data, operand)
            case 0x15:
                place += then if value == operand else otherwise
            case 0x35:
                place += then if value >= operand else otherwise
            case 0x06:
                return int(operand)
            case _:
                pytest.fail(f"no such instruction: {code:#x}")


@pytest.mark.parametrize("machine", confine._ARCHITECTURES)
def test_each_call_gets_what_it_should(machine: str) -> None:
    column, architecture = (
        list(confine._ARCHITECTURES).index(machine),
        confine._ARCHITECTURES[machine],
    )
    apart = b"".join(confine._instructions(machine, ()))
    only = b"".join(confine._instructions(machine, confine._ONLY))
    for program in (apart, only):
        for name, numbers in confine._REFUSED.items():
            number = numbers[column]
            if number is not None:
                assert verdict(program, architecture, number) & ~0xFFFF == 0x00050000, name
        control = confine._JUDGED["fcntl"][column]
        for asked in range(2000):
            refused = verdict(program, architecture, control, 3, asked) != ALLOWED
            assert refused == (asked in confine._LOCKING), asked
        assert verdict(program, architecture ^ 1, 0) != ALLOWED, "another machine's call"
        assert verdict(program, architecture, 0x40000000) != ALLOWED, "another way of calling"
    known = {number[column] for number in (*confine._REFUSED.values(), *confine._JUDGED.values())}
    for number in set(range(500)) - known:
        assert verdict(apart, architecture, number, 7, 7) == ALLOWED
        assert verdict(only, architecture, number, 7, 7) == ALLOWED
    for name, argument, wanted, error in confine._ONLY:
        number = confine._JUDGED[name][column]
        for value in (0, 1, 2, 1000):
            words = (7,) * argument + (value,)
            assert verdict(apart, architecture, number, *words) == ALLOWED, name
            expected = ALLOWED if value == wanted else 0x00050000 | error
            assert verdict(only, architecture, number, *words) == expected, (name, value)


def test_this_machine_is_known() -> None:
    if os.uname().machine not in confine._ARCHITECTURES:
        pytest.skip("bots are told apart less well here, and the operator is told")
    assert confine.can_filter_calls(os.uname().machine)
