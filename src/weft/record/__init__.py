"""The only reader and writer of records."""
