"""The rules of Schafkopf as pure functions on plain records.

Nothing in here does input or output, reads a clock, draws a random number or
imports anything but the standard library.
"""
