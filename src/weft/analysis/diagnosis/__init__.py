"""What a map of pairs says: which node, direction, switch or cable is slow. Pure."""
