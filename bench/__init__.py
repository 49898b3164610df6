"""Side-by-side runs against the peers: paired in one run, told as ratios; and weft's own costs."""
