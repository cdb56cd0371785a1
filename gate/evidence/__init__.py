"""What remains of a run: recordings that can be judged again, and the evidence file."""
