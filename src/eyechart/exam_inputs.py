"""What an examination works with: the models and datasets of its plan, and the datasets that it makes to compare with."""

from dataclasses import dataclass, field

from eyechart.companions import default_companions, refuse_companions
from eyechart.data.dataset import Dataset
from eyechart.data.picture import Decoding
from eyechart.errors import EyechartError
from eyechart.files.hashing import HashMemory
from eyechart.inputs import open_datasets, open_models
from eyechart.models.answering import GivesLikelihoods
from eyechart.models.encoder import EncodesImages, Model
from eyechart.plan import Plan
from eyechart.progress import Progress
from eyechart.session.probe_choice import ProbeChoice, choose_probes


@dataclass
class ExamInputs:
    """The models and datasets of a plan, opened. A model that cannot be opened is in `failures`, and so is what fails later.

    `made` are datasets that the examination makes itself, to compare with.
    """

    models: dict[str, Model]
    datasets: list[Dataset]
    failures: dict[str, EyechartError]
    made: list[Dataset] = field(default_factory=list)

    @classmethod
    def open(cls, plan: Plan, hashes: HashMemory, progress: Progress | None = None) -> "ExamInputs":
        models, failures = open_models(plan, hashes)
        return cls(models, open_datasets(plan, progress), failures)

    def choose(self, plan: Plan) -> ProbeChoice:
        """The probes to run; the datasets that are made for them are added to `made`."""
        choice = choose_probes(plan, self.datasets, list(self.models.values()))
        if any(isinstance(model, EncodesImages | GivesLikelihoods) for model in self.models.values()):
            self.made = default_companions(plan, self.datasets, choice, decoding_of(plan))
        else:
            refuse_companions(plan)
        return choice


def decoding_of(plan: Plan) -> Decoding:
    """How the plan's pictures are decoded."""
    return Decoding(exif=plan.exif, alpha=plan.alpha)  # type: ignore[arg-type]
