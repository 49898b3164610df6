"""Measures a plan: rounds of launches, one case at a time, what failed, what comes next."""
