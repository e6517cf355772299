"""Pure functions of arrays: estimates with intervals. They know no files and no models."""
