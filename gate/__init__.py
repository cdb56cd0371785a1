"""A promotion gate that passes only when four layers of evidence agree about one commit."""

__version__ = "0.1.0"
