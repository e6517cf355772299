"""Attacks on Eyechart: damaged and hostile inputs, kills, bit flips and disk faults. `make torture MINUTES=n` runs them.

What each attack does and what was found is in docs/reliability.md. All random choices come from seeds that are written there.
"""
