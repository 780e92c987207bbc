#!/usr/bin/env python3
"""Measures how plain the project's English is, and prints the marked sentences of files above the limit.

It reads doc comments and run-time messages of Swift files, and the paragraphs of Markdown files. A sentence is marked if it
matches one of the patterns below. At most 3% of all sentences may be marked, and 8% of the sentences of a file, of which two
are always allowed. The patterns find only a part of the problem: read your text as a newcomer, too.

Usage: .ci/prose.py [PATH...]
"""
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
limit_in_total, limit_in_file, always_allowed = 0.03, 0.08, 2

patterns = {
    "name the subject": r"(?:^|[;:,] )(?:what|who|whoever|whatever|those who|that which)\b(?!.*\?)",
    "use a noun": r"\b(?:of|by|to|from|with|for|in|than|gives|takes|needs|keeps|tells|and|or|is|are|knows) (?:what|who|whoever) ",
    "write 'if' or 'when'": r"(?:^|[;,(] ?|\bonly |\balso )where (?!.*\?)",
    "name the task, caller, or process": r"\b(?:nobody|somebody|everybody|anybody|no one)\b",
    "write 'receives' or 'is notified'": r"\b(?:is|are|was|were|be|being) (?:told|given)\b|\bhears? (?:of|why)\b",
    "write 'returns'": r"(?:^|[;,] |\band )gives\b",
    "repeat the noun": r"\b(?:that of|those of|one that|this one|that one|the ones|another one|each one)\b",
    "write 'must' or 'will'": r"\b(?:is|are|was|were) to (?:be|have|do|end|begin|start|run|wait|store|keep|happen)\b",
    "use a common word": r"\b(?:upon|beneath|thereby|likewise|besides|hence|anew|whichever|as it were|of (?:its|their) own|as of)\b",
}
patterns = {remedy: re.compile(pattern, re.IGNORECASE) for remedy, pattern in patterns.items()}


def paragraphs(path):
    """Yields the paragraphs of a file, without code."""
    text = path.read_text()
    if path.suffix == ".swift":
        blocks = ["\n".join(re.findall(r"///[ ]?(.*)", block)) for block in re.findall(r"(?:^\s*///.*\n)+", text, re.M)]
        literals = re.findall(r'"""\n(.*?)"""', text, re.S) + re.findall(r'"((?:\\.|[^"\\\n])*)"', text)
        yield from (re.sub(r"\\\n\s*|\\\(.*?\)", " X ", literal) for literal in literals if re.search(r"\w \w+.*\.$", literal.strip()))
    else:
        blocks = [text]
    for block in blocks:
        block = re.sub(r"```.*?```", "", block, flags=re.S)
        block = re.sub(r"(?m)^\s*(?:[-*]|\d+\.)\s+(?:\w+ \w+:|\w+:)?", "\n\n", block)
        for paragraph in re.split(r"\n\s*\n", block):
            if not paragraph.lstrip().startswith(("|", "#")):
                yield paragraph


def sentences(paragraph):
    """Returns the sentences of a paragraph with at least four words. Code and links become 'X'."""
    text = re.sub(r"`+[^`]+`+|<[^>]+>", "X", paragraph)
    text = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text)
    found = re.split(r"(?<=[.!?])\s+(?=[A-Z])", re.sub(r"\s+", " ", text).strip())
    return [sentence for sentence in found if len(sentence.split()) >= 4]


def files():
    """Returns the files that git knows, or that the arguments name."""
    if len(sys.argv) > 1:
        return [pathlib.Path(argument) for argument in sys.argv[1:]]
    known = subprocess.run(["git", "ls-files", "*.swift", "*.md"], cwd=root, capture_output=True, text=True, check=True)
    found = [root / line for line in known.stdout.splitlines()]
    # These sources show the code of other people.
    return [path for path in found if path.exists() and "Tests/Clients" not in str(path)]


total = marked_in_total = 0
too_many = False
for path in files():
    in_file = [sentence for paragraph in paragraphs(path) for sentence in sentences(paragraph)]
    marked = [(remedy, sentence) for sentence in in_file for remedy, pattern in patterns.items() if pattern.search(sentence)]
    total += len(in_file)
    marked_in_total += len(marked)
    if len(marked) > max(always_allowed, limit_in_file * len(in_file)):
        too_many = True
        print(f"{path.relative_to(root) if path.is_relative_to(root) else path}:")
        for remedy, sentence in marked:
            print(f"    {remedy}: {sentence}")
share = marked_in_total / max(1, total)
print(f"{marked_in_total} of {total} sentences are marked: {100 * share:.1f}%")
sys.exit(1 if too_many or share > limit_in_total else 0)
