"""Git facts from a local clone: commits, how they are related, files at a commit."""
