#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts instructions and heap allocations per operation, exactly, with valgrind.

    Benchmarks/count.py [--scratch-path PATH] [BENCHMARK ...] [CASE ...]
    Benchmarks/count.py --check [--scratch-path PATH] [BENCHMARK ...]
    Benchmarks/count.py --update [--scratch-path PATH]

Each case runs at two lengths, and the difference excludes start and preparation. Without a name it counts all cases of all
benchmarks. With --check, it counts the operations in Benchmarks/budgets and their floors, and fails if the ratio of their
instructions exceeds the budget by more than 20%. --update writes the ratios that it counts into that file.
"""

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUDGETS = HERE / "budgets"
EXECUTABLES = [
    "dispatch-benchmark",
    "flux-benchmark",
    "services-benchmark",
    "station-benchmark",
    "unit-of-work-benchmark",
    "inspector-benchmark",
]
SHORT, LONG = 500, 4_500
TOLERANCE = 1.2


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


def count_all(tool, cases):
    """Returns the count of each case, a pair of an executable and a name."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(cases, pool.map(lambda case: count(tool, *case), cases)))


def read_budgets():
    """Returns the comment of the file, and a tuple (benchmark, operation, floor, ratio) for each line after it."""
    lines = BUDGETS.read_text().splitlines()
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    return [line for line in lines if line.startswith("#")], [(*row[:3], float(row[3])) for row in rows]


def compare(executables, scratch, update):
    """Counts the operations with budgets and their floors. Returns a line for each budget that is exceeded."""
    comment, budgets = read_budgets()
    release = build(executables, scratch)
    rows = [row for row in budgets if row[0] in executables]
    cases = sorted({(release / benchmark, case) for benchmark, *pair, _ in rows for case in pair})
    counts = count_all("callgrind", cases)
    exceeded, updated = [], []
    print(f"{'operation':36}{'floor':36}{'instructions':>14}{'ratio':>9}{'budget':>9}")
    for benchmark, operation, floor, budget in rows:
        instructions = counts[release / benchmark, operation]
        ratio = instructions / counts[release / benchmark, floor]
        updated.append(f"{benchmark:24}{operation:36}{floor:36}{ratio:8.2f}")
        print(f"{operation:36}{floor:36}{instructions:14.0f}{ratio:9.2f}{budget:9.2f}")
        if ratio > budget * TOLERANCE:
            exceeded.append(f"{operation} takes {ratio:.2f} times the instructions of {floor}, and its budget is {budget}")
    if update:
        BUDGETS.write_text("\n".join(comment + updated) + "\n")
        return []
    return exceeded


def show(executables, names, scratch):
    """Prints the instructions and allocations of the named cases, or of all cases."""
    release = build(executables, scratch)
    cases = []
    for name in executables:
        listed = subprocess.run([release / name, "--list"], capture_output=True, text=True, check=True)
        cases += [(release / name, case) for case in listed.stdout.split()]
    unknown = names - {case for _, case in cases}
    if unknown:
        sys.exit(f"No benchmark or case is named {', '.join(sorted(unknown))}. To fix, use a name that '--list' of a benchmark prints.")
    cases = [case for case in cases if not names or case[1] in names]
    instructions, allocations = (count_all(tool, cases) for tool in ("callgrind", "memcheck"))
    print(f"{'case':52}{'instructions':>14}{'allocations':>14}")
    for case in cases:
        print(f"{case[1]:52}{instructions[case]:14.0f}{allocations[case]:14.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="fail if an operation exceeds its budget by over 20%%")
    parser.add_argument("--update", action="store_true", help="write the ratios of Benchmarks/budgets")
    parser.add_argument("--scratch-path", default=str(HERE / ".build"), help="where to build")
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these benchmarks and cases")
    options = parser.parse_args()

    executables = [name for name in EXECUTABLES if name in options.names] or EXECUTABLES
    names = set(options.names) - set(executables)
    if (options.check or options.update) and names:
        parser.error("--check and --update count the operations in Benchmarks/budgets. To fix, remove the names of cases")
    if options.update and options.names:
        parser.error("--update writes all ratios. To fix, remove the names")
    if options.check or options.update:
        sys.exit("\n".join(compare(executables, options.scratch_path, options.update)) or 0)
    show(executables, names, options.scratch_path)


if __name__ == "__main__":
    main()
