"""A gate as JUnit XML: one test case per condition."""

from collections.abc import Sequence
from xml.etree import ElementTree

from eyechart.gate.config import OnInconclusive
from eyechart.gate.decide import Check, Decision
from eyechart.notice import one_line


def junit_xml(decisions: Sequence[Decision], title: str, on_inconclusive: OnInconclusive) -> str:
    """The XML document. An inconclusive condition is a failure, or skipped where it lets the gate pass."""
    suites = ElementTree.Element("testsuites", name="eyechart gate")
    failed = sum(_is_failure(decision, on_inconclusive) for decision in decisions)
    skipped = sum(decision.outcome == "inconclusive" for decision in decisions) if on_inconclusive == "pass" else 0
    counts = {"tests": str(len(decisions)), "failures": str(failed), "errors": "0", "skipped": str(skipped)}
    suite = ElementTree.SubElement(suites, "testsuite", {"name": one_line(title), **counts})
    for decision in decisions:
        name = f"not {decision.condition.text}"
        case = ElementTree.SubElement(suite, "testcase", classname="eyechart.gate", name=one_line(name), time="0")
        lines = [one_line(line) for line in check_lines(decision)]
        if _is_failure(decision, on_inconclusive):
            kind = "condition met" if decision.outcome == "fails" else "inconclusive"
            message = f"{kind}: {decision.condition.text}; {lines[0]}"
            ElementTree.SubElement(case, "failure", type=kind, message=message).text = "\n".join(lines)
        elif decision.outcome == "inconclusive":
            ElementTree.SubElement(case, "skipped", message=f"inconclusive: {lines[0]}")
        ElementTree.SubElement(case, "system-out").text = "\n".join(lines)
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"


def _is_failure(decision: Decision, on_inconclusive: OnInconclusive) -> bool:
    return decision.outcome == "fails" or (decision.outcome == "inconclusive" and on_inconclusive == "fail")


def check_lines(decision: Decision) -> list[str]:
    """Each check as one line, the worst first."""
    order = {"fails": 0, "inconclusive": 1, "passes": 2}
    checks = sorted(decision.checks, key=lambda check: order[check.outcome])
    return ["; ".join([_line(check), *check.notices]) for check in checks]


def _line(check: Check) -> str:
    return f"{check.model} on {check.dataset}: {check.shown}, n = {check.n:,} ({check.how})"
