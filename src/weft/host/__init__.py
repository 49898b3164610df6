"""What this machine is, and what of it disturbs a measurement."""
