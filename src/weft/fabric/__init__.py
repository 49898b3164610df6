"""What a network is made of: links and buses and their peaks."""
