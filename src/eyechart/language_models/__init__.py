"""Language models behind any OpenAI-compatible address, asked once and replayed ever after."""
