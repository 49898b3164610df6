"""Sides and verdicts: comparison, acceptance, records put together. Pure."""
