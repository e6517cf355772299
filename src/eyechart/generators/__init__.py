"""Text-to-image models behind one interface, and the folder of their pictures and prompts."""
