"""Simulated platforms: from published tables or from a record to a file for the simulator."""
