"""Files on disk and over HTTP: atomic writes, locks, hashing, records, safetensors, cache folders."""
