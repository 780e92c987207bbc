#!/usr/bin/env python3
"""Writes `llms.txt` into a documentation site: its articles with their summaries, for language models. See <https://llmstxt.org>.

Usage: .ci/llms.py SITE

The articles have the order of the topics of their modules. The skill is copied into the site. Exits 1 if a link leads nowhere, or if an
article is missing.
"""
import pathlib
import re
import shutil
import sys

root = pathlib.Path(__file__).resolve().parent.parent

# The modules with a page in the site: those of an application first. HeadraceSwiftUI has none, see .ci/docs.sh.
modules = [
    "Headrace", "HeadraceCommands", "HeadraceResolution", "HeadraceDomain", "HeadraceRelay", "HeadraceProcesses",
    "HeadraceWorkflows", "HeadraceProjections", "HeadraceTesting", "HeadraceSimulation", "HeadraceCore", "HeadraceResilience", "HeadraceSQLite", "HeadracePostgres", "HeadraceHummingbird", "HeadraceClient", "HeadraceInspector", "HeadraceStations",
    "HeadraceServices", "HeadraceCommandEffects", "HeadraceFlux", "HeadraceMacros", "HeadraceStorage", "HeadraceStoreContract",
]

introduction = """# Headrace

> Swift package for business logic: commands and queries, dependency injection that is proved at launch, units of work with a transactional
> outbox, at-least-once delivery, process managers, durable workflows, projections, and state.

Begin with the skill if you write code, and with "Which one?" if you choose a kind of handler.

- [Skill for coding agents](SKILL.md): How to write an entity, a command, a handler, a durable event, a test, and a composition.
"""


def summary(path):
    """Returns the title of an article and the paragraph below it, as plain text."""
    title, paragraph = path.read_text().split("\n\n", 2)[:2]
    text = re.sub(r"<doc:(\w+)>", r"\1", " ".join(paragraph.split()))
    return title.removeprefix("# ").strip("`"), text.replace("`", "")


def articles(module):
    """Returns the names of the module's articles, in the order of its topics."""
    folder = root / "Sources" / module / f"{module}.docc"
    found = {path.stem for path in folder.glob("*.md")} - {module}
    linked = re.findall(r"<doc:(\w+)>", (folder / f"{module}.md").read_text())
    return [name for name in dict.fromkeys(linked) if name in found] + sorted(found - set(linked))


def main():
    site = pathlib.Path(sys.argv[1])
    shutil.copy(root / "SKILL.md", site)
    lines = [introduction]
    for module in modules:
        folder = root / "Sources" / module / f"{module}.docc"
        lines.append(f"## {module}\n")
        pages = [(f"documentation/{module.lower()}/", module)]
        pages += [(f"documentation/headrace/{name.lower()}/", name) for name in articles(module)]
        for link, name in pages:
            title, text = summary(folder / f"{name}.md")
            lines.append(f"- [{title}]({link}): {text}")
        lines.append("")
    (site / "llms.txt").write_text("\n".join(lines))

    text = (site / "llms.txt").read_text()
    links = re.findall(r"\]\(([^)]+)\)", text)
    dead = [link for link in links if not (site / link / "index.html" if link.endswith("/") else site / link).is_file()]
    left_out = [
        path.stem
        for path in sorted(root.glob("Sources/*/*.docc/*.md"))
        if f"/{path.stem.lower()}/" not in text and path.stem != "HeadraceSwiftUI"
    ]
    for link in dead:
        print(f"llms.txt links to {link}, which isn't in the site.")
    for name in left_out:
        print(f"llms.txt lacks the article {name}.")
    print(f"llms.txt has {len(links)} links")
    sys.exit(1 if dead or left_out else 0)


main()
