"""What a run leaves behind: findings, exhibits, skips and metric records, their tables and charts."""
