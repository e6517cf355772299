"""Published sets in their own layouts, one file per set or family, each with its `PublishedSet` record."""
