"""What is missing before the night it matters: a look at configuration, GitHub, cluster and release. Writes nothing."""
