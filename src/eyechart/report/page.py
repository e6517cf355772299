"""The page of a run: one folder that opens offline from the file system.

index.html holds the first screen, the verdict and the frame of everything else. Tabs, pictures, the findings and other views are
data files that the page loads when they are opened.
"""

from functools import cache
from pathlib import Path
from typing import Any

from eyechart.findings.run import Run, read_run
from eyechart.progress import Progress, SilentProgress, Task
from eyechart.report.class_rows import class_rows
from eyechart.report.data_files import DataFiles
from eyechart.report.docs_pages import write_docs
from eyechart.report.evidence_links import EvidenceLinks
from eyechart.report.galleries import galleries_of
from eyechart.report.gallery_files import confusion_cells, write_gallery
from eyechart.report.html.builder import Child, Markup, a, data_script, div, element, main, p, render, section
from eyechart.report.html.shell import document, write_folder
from eyechart.report.missed_queries import MissedQueries, missed_queries_of, write_missed_queries
from eyechart.report.picture_details import PictureDetail, picture_details, write_details
from eyechart.report.picture_groups import Gallery
from eyechart.report.sections.about_models import about_models
from eyechart.report.sections.classes import classes_section, pictures_section
from eyechart.report.sections.compare import compare_panel
from eyechart.report.sections.exclusions import exclusions_of
from eyechart.report.sections.exclusions_section import exclusions_section
from eyechart.report.sections.findings import findings_panel
from eyechart.report.sections.first_screen import first_screen
from eyechart.report.sections.guide import guide_part
from eyechart.report.sections.head import contents, head, title_block
from eyechart.report.sections.headline import nothing
from eyechart.report.sections.panels import panels
from eyechart.report.sections.parts import PartKey, part_keys, write_parts
from eyechart.report.sections.protocol import protocol_anchors, protocol_section
from eyechart.report.sections.rulings import rulings_section
from eyechart.report.tabs import tabs_of_probes
from eyechart.report.thumbnails import FOLDER as PICTURES
from eyechart.report.thumbnails import write_thumbnails
from eyechart.report.title import run_title
from eyechart.report.view import NO_VIEW, View, views_of
from eyechart.verdict.guide import guides

SCRIPTS = ("pictures.js", "queries.js", "gallery.js", "classes.js", "findings.js", "page.js")


def write_report(folder: Path, run: Run | None = None, progress: Progress | None = None) -> Path:
    """Write `folder`/report/ and return the path of its index.html. An old report is replaced once the new one is complete.

    Args:
        folder: The folder of an examination.
        run: Its content, where it was read already.
        progress: Where progress is shown; nowhere by default.
    """
    run = run or read_run(folder)
    return write_folder(folder / "report", lambda made: _Page(run, made).write(progress or SilentProgress()))


class _Page:
    """The page that is being written into a folder."""

    def __init__(self, run: Run, folder: Path) -> None:
        self.run, self.folder, self.files = run, folder, DataFiles(folder)
        self.details = cache(lambda model, dataset: picture_details(run, model, dataset))
        self.excluded = exclusions_of(run)

    def write(self, progress: Progress) -> None:
        """Write everything. Progress counts probes on datasets, galleries, views, and the three tabs about the whole run."""
        run = self.run
        self.docs = write_docs(run, self.folder)
        self.thumbnails = write_thumbnails(run, self.folder / PICTURES)
        self.galleries = galleries_of(run)
        self.missed = missed_queries_of(run)
        self.tabs = tabs_of_probes(run)
        views, keys = views_of(run), part_keys(run)
        with progress.task("page", len(keys) + len(self._all_galleries()) + len(views) + 3, "parts") as task:
            self._write_content(keys, views, task)

    def _write_content(self, keys: list[PartKey], views: list[View], task: Task) -> None:
        run = self.run
        self.parts = write_parts(run, keys, self.tabs, self.thumbnails, self.files, task)
        shown = {(part.model, part.dataset, part.probe) for part in self.parts}
        self.evidence = EvidenceLinks(run, self.tabs, self.galleries, self.missed, shown)
        self.guides = {guide.model: guide_part(guide, self.docs) for guide in guides(run)}
        self._write_galleries(task)
        self._write_whole()
        task.advance(3)
        for view in views[1:]:
            title = title_block(run, view, self.excluded)
            self.files.write(f"view-{view.key}", {"html": render(self._body(view)), "title": title.text})
            task.advance()
        (self.folder / "index.html").write_text(self._index(views), encoding="utf-8")
        task.advance(len(views[:1]))

    def _index(self, views: list[View]) -> str:
        made_by = f"Eyechart {self.run.protocol.get('eyechart', '')}".rstrip()
        if not views:
            listed = exclusions_section(self.run, self.excluded, NO_VIEW)
            shown = main(nothing(self.excluded), listed)
            return document(run_title(self.run), head(self.run, None, [], self.excluded), shown, made_by=made_by)
        first = views[0]
        about = {
            "views": {view.key: {"model": view.model, "dataset": view.dataset} for view in views},
            "galleries": [[g.group.model, g.group.dataset, g.key, g.group.design, g.title] for g in self._all_galleries()],
        }
        script = "Tabs, pictures and charts need JavaScript; the verdict on this page works without it."
        return document(
            run_title(self.run),
            a("Skip to the result", href=f"#{first.key}/top", class_="skip"),
            head(self.run, first, views, self.excluded),
            contents(first),
            main(element("noscript", p(script)), div(*self._body(first), id="view", data_view=first.key)),
            data_script("page-data", about),
            made_by=made_by,
            scripts=SCRIPTS,
        )

    def _body(self, view: View) -> list[Child]:
        gallery = self.galleries.get((view.model, view.main or "", None))
        details: list[PictureDetail] = self.details(view.model, view.main) if view.main else []
        tabs = div(*panels(self.run, view, self.parts, self.docs, self.guides), class_="panels")
        if not self.run.probes:
            return [section(nothing(self.excluded), id=f"{view.key}/top", class_="first-screen", tabindex=-1), tabs]
        return [
            first_screen(self.run, view, gallery, details, self.thumbnails, self.docs, self.evidence),
            rulings_section(view, self.evidence, self.details, self.thumbnails, self.docs),
            classes_section(self.run, view, gallery),
            self._pictures(view, gallery),
            tabs,
        ]

    def _all_galleries(self) -> list[Gallery | MissedQueries]:
        return [*self.galleries.values(), *self.missed.values()]

    def _pictures(self, view: View, gallery: Gallery | None) -> Markup | None:
        """The predictions of the dataset, or the missed queries where there are none."""
        missed = [one for (model, dataset, _), one in self.missed.items() if (model, dataset) == (view.model, view.main)]
        first = gallery or (missed[0] if missed else None)
        return pictures_section(view, first, sum(g.group.model == view.model for g in self._all_galleries()))

    def _write_galleries(self, task: Task) -> None:
        for missed in self.missed.values():
            write_missed_queries(missed, self.thumbnails, self.files)
            task.advance()
        near: dict[tuple[str, str], str | None] = {}  # neighbors do not depend on prompts
        for gallery in self.galleries.values():
            about: dict[str, Any] = write_gallery(gallery, self.thumbnails, self.files)
            model, dataset = of = gallery.group.model, gallery.group.dataset
            if of not in near:
                details = self.details(model, dataset)
                near[of] = write_details(f"{gallery.key}-near", details, dataset, self.thumbnails, self.files)
            about["details"] = near[of]
            if gallery.leads:  # the table and the matrix are those of the leading prompt set
                about["rows"], about["cells"] = class_rows(self.run, model, dataset), confusion_cells(gallery)
            self.files.write(gallery.key, about)
            task.advance()

    def _write_whole(self) -> None:
        """The tabs about the whole run."""
        run, anchors = self.run, protocol_anchors(self.run.protocol)
        self.files.write("findings", findings_panel(run, anchors, self.docs, self.galleries, self.missed))
        self.files.write("compare", compare_panel(run, self.thumbnails, self.docs))
        protocol = div(about_models(run), exclusions_section(run, self.excluded), protocol_section(run.protocol, anchors))
        self.files.write("protocol", _fragment(protocol))


def _fragment(made: Markup) -> dict[str, Any]:
    return {"html": made.text, "charts": {}}
