"""The embedded laboratory: stand-ins for the systems the gate talks to."""
