"""The match-runner: seats bot processes, plays leagues, keeps the journal, rates."""
