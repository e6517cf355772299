"""Encode shards in several processes or on several machines. Every executor is thin over `encode.shards.encode_shard`."""
