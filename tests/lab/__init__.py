"""The lab: what tests need that this machine has not, made of programs."""
