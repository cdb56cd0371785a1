"""Layer 4: does a real request, by a named route, get the answer of the intended release? Pure.

What it does not prove: all paths, all users, all load.
"""
