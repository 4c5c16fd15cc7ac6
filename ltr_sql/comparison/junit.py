"""The outcomes of gates as JUnit XML for CI."""

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from ltr_sql.comparison.gates import FAILED, HELD, SAID, UNDECIDED, Outcome

# Characters that XML 1.0 does not allow.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(outcomes: Sequence[Outcome]) -> str:
    """Return JUnit XML with one test case for each gate and system."""
    count = {decision: sum(o.decision == decision for o in outcomes) for decision in (FAILED, UNDECIDED)}
    numbers = {
        "tests": str(len(outcomes)),
        "failures": str(count[FAILED]),
        "errors": str(count[UNDECIDED]),
        "skipped": "0",
        "time": "0",
    }
    root = ElementTree.Element("testsuites", numbers)
    suite = ElementTree.SubElement(root, "testsuite", {"name": "ltr-sql compare", **numbers})
    for outcome in outcomes:
        name = _xml(f"gate '{outcome.gate.text}': {outcome.system_b} against {outcome.system_a}")
        said = _xml(f"{SAID[outcome.decision]}: {outcome.reason}")
        case = ElementTree.SubElement(
            suite, "testcase", {"classname": _xml(outcome.gate.measure), "name": name, "time": "0"}
        )
        if outcome.decision != HELD:
            tag = "failure" if outcome.decision == FAILED else "error"
            ElementTree.SubElement(case, tag, {"message": said, "type": outcome.decision}).text = said
        else:
            ElementTree.SubElement(case, "system-out").text = said
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
