"""The `eyechart` command: one file per subcommand, loaded when it is chosen."""
