"""One model and the datasets of a plan: what is encoded, which probes run, and the records of their answers."""
