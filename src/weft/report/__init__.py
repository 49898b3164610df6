"""Tables to figures and one HTML page."""
