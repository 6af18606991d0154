"""One file per step, each naming the step before it."""
