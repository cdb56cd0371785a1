"""The doors to the outside: one outside system each, and none knows another."""
