"""What a user named: records, sessions, platforms, plain tables and price lists, as data."""
