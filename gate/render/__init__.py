"""How a verdict is said: pure functions from a verdict to text. Nothing here reads or writes anything."""
