"""Scenes with several objects: object retrieval, attention on masks, keypoint matching, order effects."""
