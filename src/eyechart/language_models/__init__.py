"""Language models behind an OpenAI-compatible endpoint or in a GGUF file, with cached replies."""
