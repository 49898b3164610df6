"""Questions that take several simulations: a reproduction, a prediction, a held-out pattern."""
