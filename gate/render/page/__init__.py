"""The HTML page of an evidence file: one file that needs nothing from outside, no script, any width, light or dark.

Every text from Git, cluster or HTTP is escaped in ``markup``; a child that is not ``Html`` does not type-check.
"""
