"""The page of a run and its other forms. It reads runs and computes nothing."""
