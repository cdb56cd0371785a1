"""What was asked for: the configuration model, its loader and its published schema."""
