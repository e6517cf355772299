"""Judge findings by the limits that the probes declare: bad, good or inconclusive."""
