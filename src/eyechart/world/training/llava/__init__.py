"""Training of small multimodal language models: a frozen image encoder of the zoo, a projector and a tiny language model."""
