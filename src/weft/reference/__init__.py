"""Published platforms as data, each with its citation; and what reads them."""
