"""Statistics of numbers: intervals, ratios, percentiles, modes and drift. Pure."""
