"""Print how many tests of a JUnit report passed and failed: `python .ci/count.py REPORT` prints `PASSED FAILED`."""

import sys
from xml.etree import ElementTree as ET


def main(report: str) -> None:
    """Read the report that pytest wrote; skipped tests count as neither."""
    passed = failed = 0
    for case in ET.parse(report).iter("testcase"):  # noqa: S314 - our own file
        kinds = {child.tag for child in case}
        if kinds & {"failure", "error"}:
            failed += 1
        elif "skipped" not in kinds:
            passed += 1
    print(passed, failed)


if __name__ == "__main__":
    main(sys.argv[1])
