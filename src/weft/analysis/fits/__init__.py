"""Models of times against sizes: lines, segments, LogGP, signatures. Pure."""
