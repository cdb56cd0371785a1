"""Talking to the workflow runner: outputs, the job summary, annotations, masks, and a safe log."""
