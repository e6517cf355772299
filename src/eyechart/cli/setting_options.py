"""`--set`, `--design` and `--tower` of `examine` and `run`: settings of probes on the command line."""

import argparse
import tomllib
from dataclasses import fields, replace
from typing import Any

from eyechart.errors import UsageError
from eyechart.plan import Plan


def add_settings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="PROBE.SETTING=VALUE",
        help="a setting of a probe, such as ood.score=energy or first_object.counts=[2,4]; `eyechart probes` lists them; "
        "repeatable",
    )
    parser.add_argument(
        "--design",
        metavar="NAME|FILE",
        help="class design for class_groups and class_change: groups of classes, some of them harmful "
        "(docs/probes/class_groups.md)",
    )
    parser.add_argument(
        "--tower",
        metavar="M",
        help="the CLIP model that a multimodal language model looks through, or another to compare it with (probe answers)",
    )


def with_settings(plan: Plan, args: argparse.Namespace) -> Plan:
    """The plan with the settings of the command line, which replace those of the plan."""
    given: dict[str, dict[str, Any]] = {probe: dict(settings) for probe, settings in plan.settings.items()}
    if args.design is not None:
        for probe in _probes_with_design(plan):
            given.setdefault(probe, {})["design"] = args.design
    if args.tower is not None:
        given.setdefault("answers", {})["tower"] = args.tower
    for text in args.set:
        probe, setting, value = parse_setting(text)
        given.setdefault(probe, {})[setting] = value
    return replace(plan, settings=given)


def parse_setting(text: str) -> tuple[str, str, Any]:
    """'ood.score=energy' → ('ood', 'score', 'energy'). A value is TOML; one that is not valid TOML is a text.

    Raises:
        UsageError: If the text does not have the form PROBE.SETTING=VALUE.
    """
    name, equals, value = text.partition("=")
    probe, dot, setting = name.strip().partition(".")
    if not equals or not dot or not probe or not setting or not value.strip():
        raise UsageError(f"--set {text}: expected PROBE.SETTING=VALUE, such as ood.score=energy")
    try:
        content = tomllib.loads(f"value = {value}")
    except tomllib.TOMLDecodeError:
        return probe, setting, value.strip()
    return probe, setting, content["value"] if content.keys() == {"value"} else value.strip()


def _probes_with_design(plan: Plan) -> list[str]:
    from eyechart.session.probe_choice import candidate_probes

    found = [p.name for p in candidate_probes(plan) if any(field.name == "design" for field in fields(p.settings))]
    if not found:
        raise UsageError("--design: no probe of the plan uses a class design; add class_groups or class_change to its probes")
    return found
