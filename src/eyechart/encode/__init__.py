"""Turn pictures and texts into vectors, each computed once ever."""
