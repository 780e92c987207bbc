#!/usr/bin/env python3
"""Compares docs/public-api.md with the public symbols of the modules in the test build; `--update` writes the file."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "docs" / "public-api.md"
MARK = "<!-- `.ci/public-api.py --update` writes the rest of this file. -->\n"

# Members that the compiler makes or that protocols of the standard library require.
DEMANDED = {"!=(_:_:)", "==(_:_:)", "hash(into:)", "hashValue", "encode(to:)", "init(from:)", "init(rawValue:)", "$current"}
TYPES = {"swift.class", "swift.enum", "swift.struct"}
LONGEST = 120

# Protocols that the compiler adds to each type.
IMPLIED = {"Copyable", "Escapable", "SendableMetatype"}


def graphs(build):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([ROOT / ".ci" / "symbol-graphs.sh", build, folder], check=True)
        for path in sorted(pathlib.Path(folder).iterdir()):
            yield path.name.split(".")[0].split("@")[0], json.loads(path.read_text())


def summary(symbol):
    """Returns the first paragraph of the documentation in one line."""
    lines = []
    for line in symbol.get("docComment", {}).get("lines", []):
        if not line["text"].strip():
            break
        lines.append(line["text"].strip())
    return " ".join(lines).replace("``", "`")


def in_order(name):
    """Returns a key that ignores the case of a name; `code` comes before `Code`, so the order is stable."""
    return name.lower(), name.swapcase()


def parameters(text):
    """Splits a declaration into its beginning, its parameters, and its end; the list is empty if there are no parameters."""
    begin = re.search(r"(?:\binit[?!]?|\bsubscript|\bfunc .*?|\bcase \w+|\bmacro \w+)(?:<[^(]*>)?\(", text)
    if not begin:
        return text, [], ""
    depth, found, last = 0, [], begin.end()
    for place in range(begin.end(), len(text)):
        character = text[place]
        # The arrow `->` isn't a bracket.
        if character in "([{" or (character == "<"):
            depth += 1
        elif depth and (character in ")]}" or (character == ">" and text[place - 1] != "-")):
            depth -= 1
        elif not depth and character in ",)":
            found.append(text[last:place].strip())
            last = place + 1
            if character == ")":
                return text[: begin.end()], found, text[place:]
    return text, [], ""


def signature(symbol, conformances, indentation=""):
    """Returns the declaration, with the protocols that a type conforms to. Each parameter of a long one has its own line."""
    text = re.sub(r"\s+", " ", "".join(fragment["spelling"] for fragment in symbol["declarationFragments"])).strip()
    text = text.replace(" : ", ": ")
    protocols = conformances.get(symbol["identifier"]["precise"], set()) - IMPLIED
    if protocols and symbol["kind"]["identifier"] in TYPES:
        # The generic requirements stay at the end.
        head, where, requirements = text.partition(" where ")
        text = head + ": " + ", ".join(sorted(protocols, key=in_order)) + where + requirements
    begin, found, end = parameters(text)
    if len(indentation + text) > LONGEST and found:
        inner = "\n" + indentation + "    "
        text = begin + inner + ("," + inner).join(found) + "\n" + indentation + end
    return indentation + text


def declarations(symbols, conformances):
    """Yields each type with its summary and its declarations. Nested declarations are indented."""
    types, members = {}, {}
    declared = {tuple(symbol["pathComponents"]) for symbol in symbols}
    for symbol in symbols:
        path = symbol["pathComponents"]
        if path[-1] in DEMANDED or symbol["kind"]["identifier"] == "swift.extension":
            continue
        if len(path) == 1:
            types.setdefault(path[0], []).append(symbol)
        else:
            line = signature(symbol, conformances, "    " * (len(path) - 1))
            lines = members.setdefault(path[0], set())
            lines.add((tuple(in_order(name) for name in path[1:]), line))
            # The nested type can be declared in another module.
            for length in range(2, len(path)):
                if tuple(path[:length]) not in declared:
                    key = tuple(in_order(name) for name in path[1:length])
                    lines.add((key, "    " * (length - 1) + f"extension {path[length - 1]}"))
    for name in sorted({*types, *members}, key=in_order):
        lines = [signature(symbol, conformances) for symbol in types.get(name, [])]
        if name in types:
            about = summary(types[name][0])
        else:
            about = "An extension of a type of another module."
            lines = [f"extension {name}"]
        lines = sorted(set(lines)) + [line for _, line in sorted(members.get(name, set()))]
        yield f"### `{name}`\n\n{about}\n\n```swift\n" + "\n".join(lines) + "\n```\n"


def generated(build):
    modules, conformances = {}, {}
    for module, graph in graphs(build):
        modules.setdefault(module, []).extend(graph["symbols"])
        for relationship in graph["relationships"]:
            if relationship["kind"] == "conformsTo" and "swiftConstraints" not in relationship:
                name = relationship.get("targetFallback") or relationship["target"]
                conformances.setdefault(relationship["source"], set()).add(name)
    # A protocol of the same module has only its identifier here.
    names = {
        symbol["identifier"]["precise"]: symbol["names"]["title"] for symbols in modules.values() for symbol in symbols
    }
    conformances = {
        source: {re.sub(r"^\w+\.", "", names.get(target, target)) for target in targets}
        for source, targets in conformances.items()
    }
    text = MARK
    for module, symbols in sorted(modules.items()):
        sections = list(declarations(symbols, conformances))
        if sections:
            text += f"\n## {module}\n\n" + "\n".join(sections)
    return text


words = [word for word in sys.argv[1:] if not word.startswith("--")]
current = LIST.read_text()
wanted = current.split(MARK)[0] + generated(words[0] if words else ROOT / ".build")
if "--update" in sys.argv:
    LIST.write_text(wanted)
elif current != wanted:
    sys.exit("docs/public-api.md differs from the public declarations. To fix, review the change, then run .ci/public-api.py --update")
