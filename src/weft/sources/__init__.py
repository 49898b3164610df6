"""What a user named, as data: records, platforms, plain tables, price lists, limits."""
