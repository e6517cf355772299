"""Notes from the models' cards."""

from eyechart.findings.run import Run
from eyechart.report.html.builder import Child, Markup, bdi, details, li, p, summary, ul


def about_models(run: Run) -> Markup | None:
    """Folded, because the findings come first."""
    notes = {model: found for model in run.models if (found := _notes(run, model))}
    if not notes:
        return None
    if len(run.models) == 1:
        return details(summary("About the model"), p(_sentence(notes[run.models[0]])), class_="folded quiet")
    lines = [li(bdi(model), ": ", _sentence(found)) for model, found in notes.items()]
    return details(summary("About the models"), ul(*lines), class_="folded quiet")


def _sentence(notes: list[str]) -> list[Child]:
    parts: list[Child] = []
    for place, note in enumerate(notes):
        parts += ["; " if place else None, bdi(note)]
    return parts


def _notes(run: Run, model: str) -> list[str]:
    about = (run.protocol.get("models") or {}).get(model)
    card = about.get("card") if isinstance(about, dict) else None
    notes = card.get("notes") if isinstance(card, dict) else None
    return [str(note) for note in notes] if isinstance(notes, list) else []
