#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts instructions and heap allocations per operation, exactly, with valgrind.

    Benchmarks/count.py [--check | --update] [--scratch-path PATH] [BENCHMARK ...] [CASE ...]

Each case runs at two lengths, and the difference excludes start and preparation. With --check, it
fails if a case exceeds its line in Benchmarks/thresholds by more than 2% three times, or if a ratio of
instructions exceeds its bound. --update writes these lines. Without a name it counts all cases of all
benchmarks.
"""

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
THRESHOLDS = HERE / "thresholds"
EXECUTABLES = [
    "dispatch-benchmark",
    "flux-benchmark",
    "services-benchmark",
    "station-benchmark",
    "unit-of-work-benchmark",
    "inspector-benchmark",
]
SHORT, LONG = 500, 4_500
TOLERANCE = 1.02

# Maximum ratios of the instructions of two cases. Each is the goal of a figure whose times are too short to compare.
RATIOS = [("pour-through-10-scopes", "pour-through-1-scope", 10)]


def build(names, scratch):
    # Builds each product separately, because the import benchmark would need minutes to build GRDB.
    for name in names:
        command = [str(HERE.parent / "Scripts/build"), "--package-path", str(HERE), "--scratch-path", scratch, "-c", "release"]
        command += ["--product", name]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if result.returncode != 0:
            sys.exit(result.stdout)
    release = Path(scratch) / "release"
    # valgrind can't read the debug information of large Swift programs, and doesn't need it.
    stripped = release / "stripped"
    stripped.mkdir(exist_ok=True)
    for name in names:
        subprocess.run(["strip", "--strip-debug", "-o", stripped / name, release / name], check=True)
    return stripped


def valgrind(tool, executable, case, iterations):
    command = ["valgrind", f"--tool={tool}"]
    if tool == "callgrind":
        command.append("--callgrind-out-file=/dev/null")
    else:
        command += ["--leak-check=no", "--undef-value-errors=no"]
    command += [str(executable), "--case", case, "--iterations", str(iterations)]
    # With a fixed hash seed, all processes hash equally.
    environment = dict(os.environ, SWIFT_DETERMINISTIC_HASHING="1")
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    pattern = r"Collected : (\d+)" if tool == "callgrind" else r"total heap usage: ([\d,]+) allocs"
    found = re.search(pattern, result.stderr)
    if result.returncode != 0 or found is None:
        sys.exit(f"'{' '.join(command)}' failed:\n{result.stdout}{result.stderr}")
    return int(found[1].replace(",", ""))


def count(tool, executable, case):
    short, long = (valgrind(tool, executable, case, iterations) for iterations in (SHORT, LONG))
    return (long - short) / (LONG - SHORT)


def smallest(executable, case, limit):
    """Counts a case, and up to twice again if it exceeds its limit; returns the smallest numbers.

    The preparation hashes types by their addresses, which differ between two processes. If that makes a number too large,
    it does so by chance. A slower program is slower each time.
    """
    best = (float("inf"), float("inf"))
    for _ in range(3 if limit else 1):
        counted = tuple(count(tool, executable, case) for tool in ("callgrind", "memcheck"))
        best = tuple(map(min, best, counted))
        if limit and not exceeds(best, limit):
            break
    return best


def exceeds(counted, limit):
    return counted[0] > limit[0] * TOLERANCE or counted[1] > limit[1] * TOLERANCE + 0.005


def read_thresholds():
    if not THRESHOLDS.exists():
        return {}
    lines = (line.split("#")[0].split() for line in THRESHOLDS.read_text().splitlines())
    return {line[0]: (float(line[1]), float(line[2])) for line in lines if line}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="fail if a case exceeds its threshold by over 2%%")
    parser.add_argument("--update", action="store_true", help="write the thresholds")
    parser.add_argument("--scratch-path", default=str(HERE / ".build"), help="where to build")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these benchmarks and cases")
    options = parser.parse_args()

    executables = [name for name in EXECUTABLES if name in options.names] or EXECUTABLES
    names = set(options.names) - set(executables)
    if options.update and options.names:
        parser.error("--update writes the lines of all cases. To fix, remove the names")
    release = build(executables, options.scratch_path)
    thresholds = read_thresholds()
    cases = []
    for name in executables:
        listed = subprocess.run([release / name, "--list"], capture_output=True, text=True, check=True)
        cases += [(release / name, case) for case in listed.stdout.split()]
    unknown = names - {case for _, case in cases}
    if unknown:
        parser.error(f"no benchmark or case is named {', '.join(sorted(unknown))}")
    if options.check:
        cases = [each for each in cases if not each[1].startswith("floor-")]
    if names:
        cases = [each for each in cases if each[1] in names]

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = list(pool.map(lambda each: smallest(*each, thresholds.get(each[1]) if options.check else None), cases))

    failures = []
    print(f"{'case':36}{'instructions':>14}{'allocations':>14}{'at most':>20}")
    for (_, case), (instructions, allocations) in zip(cases, counts):
        limit = thresholds.get(case)
        print(
            f"{case:36}{instructions:14.0f}{allocations:14.2f}"
            + (f"{limit[0]:12.0f}{limit[1]:8.2f}" if limit else "")
        )
        if limit is None:
            if not case.startswith("floor-"):
                failures.append(f"{case} has no threshold")
        elif exceeds((instructions, allocations), limit):
            failures.append(f"{case} exceeds its threshold")

    instructions = {case: counted[0] for (_, case), counted in zip(cases, counts)}
    for case, other, bound in RATIOS:
        if case in instructions and other in instructions:
            ratio = instructions[case] / instructions[other]
            print(f"{case} takes {ratio:.1f} times the instructions of {other}, at most {bound}")
            if ratio > bound:
                failures.append(f"{case} exceeds its ratio to {other}")

    if options.update:
        lines = [
            "# Instructions and heap allocations per operation, as Benchmarks/count.py measures them;",
            "# Swift 6.3.1, x86_64 Linux. 'Benchmarks/count.py --update' writes this file. Counts that vary from run to run, because",
            "# of the addresses of types or a random number, have their maximum.",
        ]
        # Two benchmarks can have a case with the same name.
        for case, (instructions, allocations) in {case: counted for (_, case), counted in zip(cases, counts)}.items():
            if not case.startswith("floor-"):
                lines.append(f"{case:36}{instructions:8.0f}{allocations:8.2f}")
        THRESHOLDS.write_text("\n".join(lines) + "\n")
    elif options.check and failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()
