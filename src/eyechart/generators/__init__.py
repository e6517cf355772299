"""Text-to-image models behind one small interface, and the folder that their pictures and prompts go to."""
