"""Object names by real-world size.

The rule is that of Abbasi et al. (2025, §4.3): small objects are smaller than a school bag, medium ones up to a mid-size car,
large ones above. The lists are our own; those of the paper are in its appendix.
"""

SMALL = (
    "apple", "spoon", "key", "pencil", "watch", "coin", "egg", "cup", "fork", "ring", "button", "candle", "sock",
    "strawberry", "scissors", "wallet", "frog", "butterfly", "mushroom", "eraser", "toothbrush", "lipstick", "bee", "snail",
)  # fmt: skip
MEDIUM = (
    "chair", "suitcase", "bicycle", "dog", "couch", "guitar", "sheep", "bathtub", "drum", "refrigerator", "table", "ladder",
    "pig", "wheelbarrow", "desk", "motorcycle", "armchair", "television", "barrel", "bench", "stove", "cello", "goat", "lion",
)  # fmt: skip
LARGE = (
    "airplane", "bus", "house", "bridge", "ship", "train", "castle", "whale", "mountain", "skyscraper", "lighthouse", "stadium",
    "church", "barn", "truck", "windmill", "tower", "ferry", "submarine", "hospital", "helicopter", "cathedral", "factory", "zoo",
)  # fmt: skip
