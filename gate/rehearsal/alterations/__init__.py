"""What must not pass: each alteration of passing evidence, by what it alters. Pure."""
