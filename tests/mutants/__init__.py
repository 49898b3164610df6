"""Planted bugs, one at a time, and the tests that must notice each: `make mutants`."""
