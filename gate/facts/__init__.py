"""What was seen: raw JSON as the APIs gave it, read into strict typed facts. Pure."""
