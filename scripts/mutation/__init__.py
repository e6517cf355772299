"""Mutation testing: break the code in small ways, and see whether a test notices. `make mutate` runs it."""
