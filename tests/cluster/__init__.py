"""Tests on a real cluster: how it is started, what releases go through on it, and what was recorded there."""
