"""The recovery report: what three evidence files show together, or why they show no recovery. Pure."""
