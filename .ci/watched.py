#!/usr/bin/env python3
"""Runs tests for a limited time, and prints the tests that failed or hung.

    .ci/watched.py SECONDS COMMAND [ARGUMENT ...]

Prints the output of the command and exits with its code. After SECONDS it ends the command with all of its children, and
exits with 124. At the end of a failed run it repeats the issues of the tests, and names the tests that began and
never ended. If WATCHED_REPORT is set, it also appends these lines to that file.
"""

import os
import pathlib
import re
import signal
import subprocess
import sys
import threading

EVENT = re.compile(
    r"(?:Test|Suite) (?!run\b|case\b)((?:(?! recorded an issue ).)+?)(?: with \d+ test cases?)? (started|passed|failed|skipped)\b"
)
ISSUE = re.compile(r"recorded an issue|^error:|: error:|Fatal error|\*\*\*")


def end_session(leader):
    """Ends all processes of a session: `swift test` puts the tests into a process group of their own."""
    for _ in range(3):  # A process can start a child at the same time.
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                if int(stat.read_text().rpartition(")")[2].split()[3]) == leader:
                    os.kill(int(stat.parent.name), signal.SIGKILL)
            except (OSError, ValueError, IndexError):
                pass


def keep_priority():
    """Gives the nice value of this process to its session, because Linux schedules sessions as groups with a priority each."""
    try:
        pathlib.Path("/proc/self/autogroup").write_text(str(os.nice(0)))
    except OSError:
        pass  # Without groups, the nice value of the process counts.


def main(seconds, command):
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
        preexec_fn=keep_priority,
    )
    is_late = threading.Event()

    def end():
        is_late.set()
        end_session(process.pid)

    watch = threading.Timer(seconds, end)
    watch.daemon = True
    watch.start()

    begun, failed, issues = {}, [], []
    try:
        for line in process.stdout:
            print(line[:2000].rstrip("\n"), flush=True)
            if ISSUE.search(line) and len(issues) < 100:
                issues.append(line.strip()[:1000])
            found = EVENT.search(line)
            if found is None:
                continue
            name, event = found.groups()
            if event == "started":
                begun[name] = begun.get(name, 0) + 1
            elif event in ("passed", "failed"):
                begun[name] = begun.get(name, 1) - 1
                if event == "failed":
                    failed.append(name)
        code = process.wait()
    except BaseException:
        end_session(process.pid)
        raise
    watch.cancel()
    if code == 0 and not is_late.is_set():
        return 0
    report = issues + [f"*** failed: {name[:300]}" for name in failed]
    report += [f"*** began and never ended: {name[:300]}" for name, count in begun.items() if count > 0]
    if is_late.is_set():
        code = 124
        report.append(f"*** ended after {seconds} s: {' '.join(command)[:300]}")
    else:
        report.append(f"*** exit code {code}: {' '.join(command)[:300]}")
    print("\n".join(report), file=sys.stderr, flush=True)
    if file := os.environ.get("WATCHED_REPORT"):
        with open(file, "a") as lines:
            lines.write("\n".join(report) + "\n")
    return code if code > 0 else 128 - code


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(float(sys.argv[1]), sys.argv[2:]))
