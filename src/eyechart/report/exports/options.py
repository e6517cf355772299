"""What a user may say about an export."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from eyechart.findings.run import Run


@dataclass(frozen=True)
class HubDataset:
    """A benchmark dataset on the Hugging Face Hub.

    id: `owner/name`.
    task: The task of its `eval.yaml`; None where each metric is a task of its own.
    """

    id: str
    task: str | None = None


@dataclass(frozen=True)
class ExportOptions:
    """Settings of exports.

    hub_datasets: Dataset of the run → its benchmark on the Hub.
    organization: Who ran the examination, for Every Eval Ever.
    """

    hub_datasets: Mapping[str, HubDataset] = field(default_factory=dict)
    organization: str | None = None

    def hub_dataset(self, run: Run, dataset: str) -> HubDataset | None:
        """The benchmark of a dataset: given by the user, or the source of the pictures (hf://owner/name)."""
        if dataset in self.hub_datasets:
            return self.hub_datasets[dataset]
        source = str(run.dataset_facts(dataset).get("source") or "")
        if not source.startswith("hf://"):
            return None
        parts = source.removeprefix("hf://").removeprefix("datasets/").split("/")
        return HubDataset("/".join(parts[:2])) if len(parts) >= 2 else None
