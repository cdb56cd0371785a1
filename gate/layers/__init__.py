"""The four layers: each a pure function from facts to one answer. They do not know one another."""
