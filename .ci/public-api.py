#!/usr/bin/env python3
"""Compares .ci/public-api.md with the public symbols of the modules in the test build; `--update` writes the file."""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / ".ci" / "public-api.md"
MARK = "<!-- `.ci/public-api.py --update` writes the rest of this file. -->\n"

# Members that the compiler makes or that protocols of the standard library require.
DEMANDED = {"!=(_:_:)", "==(_:_:)", "hash(into:)", "hashValue", "encode(to:)", "init(from:)", "init(rawValue:)", "$current"}
TYPES = {"swift.class", "swift.enum", "swift.struct"}
LONGEST = 120

# The lists, each with the modules whose names are in it unless `import Headrace` shows them.
APPLICATIONS = "For authors of applications: `import Headrace`"
BY_NAME = "For authors of applications: modules to import by name"
STORES = "For authors of stores"
TOOLS = "For authors of tools"
LISTS = {
    APPLICATIONS: set(),
    BY_NAME: {
        "HeadraceClient", "HeadraceFlux", "HeadraceHummingbird", "HeadraceServices", "HeadraceSimulation", "HeadraceStations", "HeadraceSwiftUI", "HeadraceTesting",
        "HeadraceWorkflows",
    },
    STORES: {"HeadraceStorage", "HeadraceStoreContract"},
    TOOLS: set(),
}
ABOUT = {
    APPLICATIONS: "The {count} types and extensions that `import Headrace` shows.",
    BY_NAME: "Each has a product of the same name. Their short names, such as `Service` and `Effect`, are also names of other packages.",
    STORES: "Import the module that is named here to write a store, or a store that wraps another store.",
    TOOLS: "Import the module that is named here to observe messages, deliveries, and projections, to operate them, or to show them.",
}

# The number of entries of the first list that a newcomer can survey.
MOST = 150

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


def exports():
    """Returns the names, and the modules with all their names, that `import Headrace` shows."""
    text = (ROOT / "Sources" / "Headrace" / "Exports.swift").read_text()
    names = re.findall(r"@_exported public import \w+ (\w+)\.(\w+)", text)
    return set(names), {"Headrace", *re.findall(r"@_exported public import (\w+)$", text, re.MULTILINE)}


def conforming(modules):
    """Returns the types of other packages whose extensions only fulfil the requirements of protocols, by module and protocol."""
    found = {}
    for module, symbols in modules.items():
        members = {}
        for symbol in symbols:
            if len(symbol["pathComponents"]) == 2:
                members.setdefault(symbol["pathComponents"][0], set()).add(symbol["pathComponents"][1])
        kinds = {one["pathComponents"][0]: one["kind"]["identifier"] for one in symbols if len(one["pathComponents"]) == 1}
        protocols = [name for name, kind in kinds.items() if kind == "swift.protocol" and name in members]
        for name in sorted(set(members) - set(kinds)):
            fulfilled = [protocol for protocol in protocols if members[name] & members[protocol]]
            if members[name] <= set().union(*(members[protocol] for protocol in fulfilled)):
                for protocol in fulfilled:
                    found.setdefault((module, protocol), []).append(name)
    return found


def grouped(modules):
    """Yields the name of each type, its module, and its symbols by module, because several modules can extend one type."""
    types = {}
    folded = {(module, name) for (module, _), names in conforming(modules).items() for name in names}
    for module, symbols in modules.items():
        for symbol in symbols:
            path = symbol["pathComponents"]
            if path[-1] not in DEMANDED and symbol["kind"]["identifier"] != "swift.extension":
                types.setdefault(path[0], {}).setdefault(module, []).append(symbol)
    for name in sorted(types, key=in_order):
        own = [module for module, symbols in types[name].items() if any(len(one["pathComponents"]) == 1 for one in symbols)]
        if own:
            assert len(own) == 1, f"{name} is declared in {own}"
            yield name, own[0], types[name]
        else:
            # An extension of a type of another package.
            for module, symbols in types[name].items():
                if (module, name) not in folded:
                    yield name, module, {module: symbols}


def lines(symbols, conformances):
    """Returns the declarations of one type in one module. Nested declarations are indented."""
    declared = {tuple(symbol["pathComponents"]) for symbol in symbols}
    types, members = set(), set()
    for symbol in symbols:
        path = symbol["pathComponents"]
        if len(path) == 1:
            types.add(signature(symbol, conformances))
            continue
        members.add((tuple(in_order(name) for name in path[1:]), signature(symbol, conformances, "    " * (len(path) - 1))))
        # The nested type can be declared in another module.
        for length in range(2, len(path)):
            if tuple(path[:length]) not in declared:
                key = tuple(in_order(name) for name in path[1:length])
                members.add((key, "    " * (length - 1) + f"extension {path[length - 1]}"))
    return (sorted(types) or [f"extension {symbols[0]['pathComponents'][0]}"]) + [line for _, line in sorted(members)]


def entry(name, module, symbols, conformances, conforming_types):
    """Returns the section of one type: its declarations, then those of its extensions in other modules."""
    types = [symbol for symbol in symbols[module] if len(symbol["pathComponents"]) == 1]
    about = summary(types[0]) if types else "An extension of a type of another package."
    code = lines(symbols[module], conformances)
    if conforming_types:
        code += ["", "// Conforming types of other packages: " + ", ".join(sorted(conforming_types, key=in_order)) + "."]
    for other in sorted(set(symbols) - {module}):
        code += ["", f"// In {other}."] + lines(symbols[other], conformances)
    return f"#### `{name}`\n\n{about}\n\n```swift\n" + "\n".join(code) + "\n```\n"


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
    shown, whole = exports()
    # The members of these modules are visible, so also their extensions of types of other packages.
    loaded = whole | {module for module, _ in shown}
    lists = {title: {} for title in LISTS}
    folded = conforming(modules)
    for name, module, symbols in grouped(modules):
        is_foreign = all(len(symbol["pathComponents"]) > 1 for symbol in symbols[module])
        if module in whole or (module, re.sub(r"\(.*", "", name)) in shown or (is_foreign and module in loaded):
            title = APPLICATIONS
        else:
            title = next((title for title, members in LISTS.items() if module in members), TOOLS)
        lists[title].setdefault(module, []).append(entry(name, module, symbols, conformances, folded.get((module, name))))
    count = sum(len(entries) for entries in lists[APPLICATIONS].values())
    if count > MOST:
        sys.exit(
            f"`import Headrace` shows {count} types and extensions, and {MOST} is the limit. To fix, export fewer names in"
            " Sources/Headrace/Exports.swift."
        )
    text = MARK
    for title, sections in lists.items():
        text += f"\n## {title}\n\n{ABOUT[title]}\n"
        for module, entries in sorted(sections.items()):
            text += f"\n### {module}\n\n" + "\n".join(entries)
    return text.replace("{count}", str(count))


words = [word for word in sys.argv[1:] if not word.startswith("--")]
current = LIST.read_text()
wanted = current.split(MARK)[0] + generated(words[0] if words else ROOT / ".build")
if "--update" in sys.argv:
    LIST.write_text(wanted)
elif current != wanted:
    sys.exit(".ci/public-api.md differs from the public declarations. To fix, review the change, then run .ci/public-api.py --update")
