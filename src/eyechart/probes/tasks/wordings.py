"""Other words for object names in captions: plurals, and for the categories of COCO the words that captions use for them.

Only reading of captions uses them: prompts and class lists keep their names. The list of words is ours.
"""

from collections.abc import Iterable, Mapping

from eyechart.data.class_file import read_classes

# Words that mean a category of COCO and no other. "glass" is left out: it is a material too; "player" may be a device.
COCO_WORDS: Mapping[str, tuple[str, ...]] = {
    "person": ("man", "woman", "boy", "girl", "child", "kid", "baby", "toddler", "lady", "guy", "gentleman", "skier", "surfer",
               "skateboarder", "snowboarder", "batter", "pitcher", "rider"),
    "bicycle": ("bike",),
    "motorcycle": ("motorbike", "scooter"),
    "airplane": ("plane", "jet", "aircraft", "airliner"),
    "tv": ("television", "tv screen"),
    "cell phone": ("cellphone", "mobile phone", "smartphone"),
    "couch": ("sofa",),
    "dining table": ("kitchen table",),
    "potted plant": ("houseplant", "plant in a pot"),
    "sports ball": ("soccer ball", "tennis ball", "baseball", "basketball", "football"),
    "tennis racket": ("tennis racquet", "racket", "racquet"),
    "refrigerator": ("fridge",),
    "fire hydrant": ("hydrant",),
    "donut": ("doughnut",),
    "hair drier": ("hair dryer", "hairdryer", "blow dryer"),
    "cow": ("bull", "calf", "cattle"),
    "dog": ("puppy",),
    "cat": ("kitten",),
    "sheep": ("lamb", "ram"),
    "horse": ("pony", "foal"),
    "teddy bear": ("stuffed bear", "teddy"),
    "frisbee": ("flying disc",),
    "baseball glove": ("catcher's mitt", "mitt"),
    "suitcase": ("luggage",),
    "handbag": ("purse",),
    "cup": ("mug",),
    "wine glass": ("wineglass",),
}  # fmt: skip
_IRREGULAR = {
    "person": "people", "man": "men", "woman": "women", "child": "children", "gentleman": "gentlemen", "mouse": "mice",
    "knife": "knives", "sheep": "sheep", "calf": "calves", "cattle": "cattle", "luggage": "luggage", "aircraft": "aircraft",
    "scissors": "scissors", "skis": "skis", "leaf": "leaves", "broccoli": "broccoli",
}  # fmt: skip


def plural_of(name: str) -> str:
    """The plural of a name, of its last word.

    Example:
        >>> [plural_of(name) for name in ("dog", "bench", "knife", "cherry", "dining table", "person", "skis")]
        ['dogs', 'benches', 'knives', 'cherries', 'dining tables', 'people', 'skis']
    """
    lead, space, last = name.rpartition(" ")
    if last in _IRREGULAR:
        return lead + space + _IRREGULAR[last]
    if last.endswith(("s", "x", "z", "ch", "sh")):
        return f"{name}es"
    if last.endswith("y") and last[-2:-1] not in ("a", "e", "i", "o", "u", ""):
        return f"{name[:-1]}ies"
    return f"{name}s"


def all_wordings(known: Mapping[str, str]) -> dict[str, str]:
    """The wordings of names with their plurals, and where all names are COCO's, with the words of captions for them.

    A wording that is given, or that two names would share, is never taken for another name.
    """
    words: dict[str, tuple[str, ...]] = {wording: (name,) for wording, name in known.items()}
    if set(known.values()) <= {c.name for c in read_classes("coco-80")}:
        for name in set(known.values()):
            _offer(words, COCO_WORDS.get(name, ()), name, known)
    for wording, names in list(words.items()):
        for name in names:
            _offer(words, (plural_of(wording),), name, known)
    return {wording: names[0] for wording, names in words.items() if len(set(names)) == 1}


def _offer(words: dict[str, tuple[str, ...]], wordings: Iterable[str], name: str, known: Mapping[str, str]) -> None:
    for wording in wordings:
        if wording not in known:
            words[wording] = (*words.get(wording, ()), name)
