#!/usr/bin/env python3
"""Finds every example of the documentation in code that the tests compile, and prints the missing examples.

An example is a block of README.md, of SKILL.md, of an article, or of a doc comment. The fence of a block in a different language names it:
```text, ```sh. The lines of an example, without their indentation, must follow each other in a Swift file below Tests or
Examples, or in a Package.swift there. At a blank line outside of all braces, the file can have other code in between: it can
declare types outside of the test that uses them. It can also declare them private.
"""

import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent

# Linux has no SwiftUI, so these examples can't be compiled here.
not_compiled_here = [root / "Sources/HeadraceSwiftUI"]

# This block needs the address of the repository, which isn't known here. The manifests of Tests/Clients name a folder instead.
without_address = {("README.md", 'dependencies: [.package(url: "…", branch: "main")],  // the address of this repository')}


def normalised(line):
    """Returns the line without its indentation and `private`, and with single spaces."""
    return re.sub(r"^(file)?private ", "", " ".join(line.split()))


def parts(lines):
    """Splits a block at each blank line before a line without indentation, and drops the other blank lines."""
    found = [[]]
    for number, line in enumerate(lines):
        if line.strip():
            found[-1].append(normalised(line))
        elif found[-1] and number + 1 < len(lines) and re.match(r"[^\s}\])]", lines[number + 1]):
            found.append([])
    return ["\n" + "\n".join(part) + "\n" for part in found if part]


def blocks(path):
    """Yields the number of the first line and the lines of each example in a file."""
    fence, block = None, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if path.suffix == ".swift":
            comment = re.match(r"\s*/// ?(.*)", line)
            if not comment:
                fence = None
                continue
            line = comment[1]
        if not line.strip().startswith("```"):
            block.append(line)
        elif fence is None:
            fence, block = line.strip()[3:] or "swift", []
        else:
            if fence == "swift":
                yield number - len(block), block
            fence = None


def stands_in(code, example):
    """Returns whether a file has the parts of an example in their order."""
    place = 0
    for part in example:
        place = code.find(part, place)
        if place < 0:
            return False
        # The line break at the end of a part can be the beginning of the next part.
        place += len(part) - 1
    return True


def main():
    compiled = []
    for folder in ["Tests", "Examples"]:
        for path in sorted((root / folder).rglob("*.swift")):
            if ".build" not in path.relative_to(root).parts:
                lines = [normalised(line) for line in path.read_text().splitlines() if line.strip()]
                compiled.append("\n" + "\n".join(lines) + "\n")

    documented = [root / "README.md", root / "SKILL.md", *sorted((root / "Sources").rglob("*.*"))]
    count, missing = 0, 0
    for path in documented:
        if path.suffix not in {".md", ".swift"} or any(folder in path.parents for folder in not_compiled_here):
            continue
        name = str(path.relative_to(root))
        for number, block in blocks(path):
            if (name, block[0]) in without_address:
                continue
            count += 1
            if not any(stands_in(code, parts(block)) for code in compiled):
                missing += 1
                print(f"{name}:{number}: no compiled file has this example")
    print(f"{count - missing} of {count} examples are compiled")
    sys.exit(1 if missing else 0)


main()
