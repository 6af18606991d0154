"""One file per group of commands; each parses nothing, calls down and prints."""
