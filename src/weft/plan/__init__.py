"""What a run measures: cases, plans, suites, and what a budget can buy. Every default; no I/O."""
