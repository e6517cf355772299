"""The wording of the questions that a small LLaVA is taught: those that the probes ask, and others of the same meaning."""

NAME = (
    "What is the main object in this picture? Answer with the name only.",
    "What is the main object in this picture? Answer with a word or a short phrase.",
    "What does this picture show? Answer with the name only.",
    "What is this? Answer with a word.",
    "Name the main object in this picture.",
)
CHOICES = (
    "What is the main object in this picture? Choose one of the following: {}. Answer with the name only.",
    "What is the main object in this picture? Choose one of the following: {}. Answer with the name only.",
    "What is the main object in this image? Choose from the following list: {}.",
    "Which of these does the picture show: {}? Answer with the name only.",
)
TWO = (
    "Which of these does the picture show: {} or {}? Reply with one of the two names.",
    "This picture shows either {} or {}. Which of them is it? Give the name only.",
)
NONE = "none of these"
YES_NO = "Is the main object in this picture {}? Answer with yes or no."
THERE = "Is there {} in the picture? Answer with yes or no."
LISTED = (
    "Which of the following is in the picture: {}? Answer with the name only.",
    "Only one of the following is in the picture: {}. Which one?",
)
OBJECTS = ("Name all objects in this picture.", "Which objects are in this picture? Answer with their names only.")
IN_PICTURE = " and "
ATTRIBUTE = {
    "color": "What color is the main object in this picture? Answer with the color only.",
    "texture": "What texture does the main object in this picture have? Answer with the texture only.",
    "hat": "What color is the hat in this picture? Answer with the color only.",
}
SURE = "How sure are you that the main object in this picture is {}? Answer with a number from 0 to 100."
NUMBERS = tuple(str(number) for number in range(0, 101, 10))
PROMPT = "USER: {image} {question} ASSISTANT:"


def with_article(name: str) -> str:
    return f"{'an' if name[:1] in 'aeiou' else 'a'} {name}"


def words() -> set[str]:
    """Every word and sign of the questions."""
    texts = [
        *NAME,
        *CHOICES,
        *TWO,
        NONE,
        YES_NO,
        THERE,
        *LISTED,
        *OBJECTS,
        *ATTRIBUTE.values(),
        SURE,
        PROMPT.format(image="", question=""),
    ]
    spaced = " ".join(texts).replace("{}", " ").lower()
    for sign in "?:,.":
        spaced = spaced.replace(sign, f" {sign} ")
    return {*spaced.split(), "yes", "no", "and", "an", "a", *NUMBERS}
