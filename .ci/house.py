#!/usr/bin/env python3
"""Checks the structure of the sources, and prints each violation:

- No two folders of a module refer to each other in both directions.
- No folder of a module has a single Swift file.
- No Swift file has more than 500 lines, and no source file fewer than 40, but the files that hold only an entry point, exports, or
  unsafe code, and files of modules with at most three.
- Each Swift file names the license in its first line.
- Each entry of the decisions has a date and one line in the index.
- The modules of business logic read times, UUIDs, and random numbers only through `SystemValues`.
- Unsafe and unchecked code is only in files named `X+Unsafe.swift`, of which a module has one; the stores and JSON may have more.

It reads names of types, and no calls of functions. Exits 1 if there is a violation.
"""
import collections
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
longest = 500
shortest = 40
entries = {"Exports.swift", "Program.swift", "HeadraceTool.swift", "HeadraceMacrosPlugin.swift"}
parsers = {"HeadraceJSON", "HeadracePostgres", "HeadraceSQLite"}
license = "// SPDX-License-Identifier: Apache-2.0"

# These packages show the code of other people, and imitations of Apple's modules.
foreign = [root / "Tests/Clients", root / "Tests/ApplePlatforms"]

declaration = re.compile(
    r"^((?:(?:@\w+(?:\([^)]*\))?|public|package|internal|private|fileprivate|final|indirect|open|nonisolated)\s+)*)"
    r"(?:struct|class|enum|protocol|actor|typealias)\s+(\w+)",
    re.MULTILINE,
)
unsafe = re.compile(
    r"\bunsafe\b|@unchecked|nonisolated\(unsafe\)|\bUnmanaged\b|\bwithUnsafe\w+|\bUnsafe(?:Mutable|Raw|Buffer|Pointer)\w*"
)

# Everything in these modules behaves the same each time that the `SystemValues` are the same.
deterministic = (
    "Client CommandEffects Commands Core Domain Flux Processes Projections Relay Resilience Resolution Services Stations Storage Workflows".split()
)
system_values = {"HeadraceCore/Time/SystemValues.swift", "HeadraceCore/Time/UUID+Text.swift"}
system_reads = re.compile(
    r"\bDate\(\)|\bDate\.now\b|\btimeIntervalSinceNow\b|\bUUID\(\)|\b(?:Continuous|Suspending)Clock(?:\(\)|\.now\b)|(?<=[\s(])\.now\b"
    r"|\bSystemRandomNumberGenerator\b|\.random\((?![^()]*\busing:)[^()]*\)|\.(?:shuffled?|randomElement)\(\)|\bTask\.sleep\b"
)


def code(text):
    """Returns the text without comments and without the content of string literals."""
    text = re.sub(r'"""(?:.|\n)*?"""', '""', text)
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"/\*(?:.|\n)*?\*/", "", text)
    return re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)


def swift_files(folder):
    """Returns the Swift files below a folder, without build products, or the file itself."""
    if folder.is_file():
        return [folder]
    return sorted(path for path in folder.rglob("*.swift") if ".build" not in path.parts)


def folder_arrows(module):
    """Yields each pair of folders of a module that refer to each other, with the names of the types."""
    texts = {path: code(path.read_text()) for path in swift_files(module)}
    owners = collections.defaultdict(set)
    for path, text in texts.items():
        for modifiers, name in declaration.findall(text):
            if "private" not in modifiers:
                owners[name].add(path)
    arrows = collections.defaultdict(set)
    for path, text in texts.items():
        for word in set(re.findall(r"\b[A-Z]\w*", text)):
            if len(owners[word]) == 1:
                (owner,) = owners[word]
                if owner.parent != path.parent:
                    arrows[path.parent, owner.parent].add(word)
    for (source, target), words in sorted(arrows.items()):
        if source < target and (target, source) in arrows:
            names = [", ".join(sorted(found)) for found in (words, arrows[target, source])]
            yield f"{source.relative_to(root)} uses {names[0]} of {target.name}, which uses {names[1]} of {source.name}"


def unlisted_decisions():
    """Yields the decisions without a date, those that the index doesn't link, and the links of the index without a decision."""
    text = (root / "docs/decisions.md").read_text()
    index, *sections = re.split(r"^## (?!Index)", text, flags=re.MULTILINE)
    links = re.findall(r"^- \[.+\]\(#([\w-]+)\)$", index, re.MULTILINE)
    anchors = set()
    for anchor, title, date in re.findall(
        r'(?:<a id="([\w-]+)"></a>\n)?\*\*([^*]+)\*\*( \(\d{4}-\d\d-\d\d\))?', "".join(sections)
    ):
        title = " ".join(title.split())
        if not date:
            yield f"docs/decisions.md: '{title}' has no date. To fix, write it behind the title, as in (2026-11-27)."
        if links.count(anchor) != 1 or anchor in anchors:
            yield f"docs/decisions.md: '{title}' isn't in the index. To fix, write <a id=\"…\"></a> above it, and link that once."
        anchors.add(anchor)
    for link in sorted(set(links) - anchors):
        yield f"docs/decisions.md: the index links '{link}', which isn't there. To fix, remove the line."


def badly_sized(module):
    """Yields the short files of a module of the package, and its second unsafe file."""
    paths = swift_files(module)
    unsafe_paths = [path for path in paths if path.name.endswith("+Unsafe.swift")]
    if len(unsafe_paths) > 1 and module.name not in parsers:
        yield f"{module.name} has {len(unsafe_paths)} unsafe files. To fix, make them one, or write safe code."
    if len(paths) <= 3:
        return
    for path in paths:
        lines = path.read_text().count("\n")
        if lines < shortest and path not in unsafe_paths and path.name not in entries:
            name = path.relative_to(root)
            yield f"{name} has {lines} lines. To fix, move its content to the file of the type that it serves."


def unmanaged_reads():
    """Yields the reads of the system in the modules that must be deterministic."""
    for module in deterministic:
        for path in swift_files(root / "Sources" / f"Headrace{module}"):
            name = path.relative_to(root / "Sources").as_posix()
            if name in system_values:
                continue
            for read in sorted(set(system_reads.findall(code(path.read_text())))):
                yield f"Sources/{name} has '{read}'. To fix, read the time, UUIDs, and random numbers through 'SystemValues'."


def violations():
    """Yields a line for each violation."""
    yield from unlisted_decisions()
    yield from unmanaged_reads()
    for module in sorted(folder for folder in (root / "Sources").iterdir() if folder.is_dir()):
        yield from badly_sized(module)
    modules = [folder for parent in ("Sources", "Examples/Ledger/Sources") for folder in (root / parent).iterdir()]
    for module in sorted(folder for folder in modules if folder.is_dir()):
        yield from folder_arrows(module)
        counts = collections.Counter(path.parent for path in swift_files(module))
        for folder, count in sorted(counts.items()):
            if count == 1 and folder != module:
                yield f"{folder.relative_to(root)} has a single file. To fix, move the file to another folder."
    for parent in ("Package.swift", "Sources", "Tests", "Examples", "Benchmarks"):
        for path in swift_files(root / parent):
            if any(path.is_relative_to(folder) for folder in foreign):
                continue
            text = path.read_text()
            name = path.relative_to(root)
            lines = text.count("\n")
            if lines > longest:
                yield f"{name} has {lines} lines. To fix, split it into files of at most {longest} lines."
            if path.name != "Package.swift" and not text.startswith(license):
                yield f"{name} has no license. To fix, make this its first line: {license}"
            if not path.name.endswith("+Unsafe.swift"):
                for word in sorted(set(unsafe.findall(code(text)))):
                    yield f"{name} has '{word}'. To fix, move that code to a file named 'X+Unsafe.swift', with its proof."


found = list(violations())
for line in found:
    print(line)
print(f"{len(found)} violations of the structure")
sys.exit(1 if found else 0)
