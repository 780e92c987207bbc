"""Takes the pictures of the README, and on request pictures of the page at other sizes and in dark mode."""

import pathlib
import random
import sys
import tempfile

from browser import Browser
from ledger_page import Ledger, LedgerPage
from PIL import Image

root = pathlib.Path(__file__).resolve().parents[2]
account = "assets:bank:checking"


def household():
    """Returns the transactions of a small household in a year. They are the same each time."""
    chance = random.Random(1)
    entries = [("2026-01-01", "Opening balances", [(account, "2,400.00 EUR"), ("assets:bank:savings", "8,000.00 EUR"), ("equity:opening", "")])]
    for month in range(1, 12):
        def add(day, description, *postings):
            entries.append((f"2026-{month:02}-{day:02}", description, postings))

        add(2, "Rent", ("expenses:rent", "950.00 EUR"), (account, ""))
        add(4, "Cash machine", ("assets:cash", f"{chance.randrange(8, 13) * 10}.00 EUR"), (account, ""))
        add(6, "Trams and trains", ("expenses:travel", "58.00 EUR"), (account, ""))
        for day in sorted(chance.sample(range(5, 28), 7)):
            place, kind, purse = chance.choice(
                [
                    ("Market hall", "food:groceries", account),
                    ("Bakery", "food:groceries", "assets:cash"),
                    ("Café by the mill", "food:coffee", "assets:cash"),
                    ("Bookshop", "books", account),
                    ("Dinner with friends", "food:restaurant", "liabilities:credit card"),
                ]
            )
            limit = {"food:coffee": 9, "food:groceries": 60, "books": 40, "food:restaurant": 70}[kind]
            add(day, place, (f"expenses:{kind}", f"{chance.uniform(3, limit):.2f} EUR"), (purse, ""))
        add(26, "Put aside", ("assets:bank:savings", f"{chance.choice([400, 600, 900])}.00 EUR"), (account, ""))
        add(28, "Salary", (account, "2,850.00 EUR"), ("income:salary", ""))
    entries.append(("2026-06-12", "Dollars for the journey", [("assets:cash", "200.00 USD @ 0.92 EUR"), (account, "")]))
    entries.append(("2026-06-19", "New York", [("expenses:travel", "143.75 USD"), ("assets:cash", "")]))
    lines = []
    for date, description, postings in sorted(entries, key=lambda entry: entry[0]):
        lines.append(f"{date} * {description}")
        lines += [f"    {name}  {amount}".rstrip() for name, amount in postings]
        lines.append("")
    return "\n".join(lines)


def take(page, path, width, height, mode):
    """Takes a picture of the account with a filled-in form at a window size."""
    browser = page.browser
    browser.look(width, height, mode, motion="reduce")
    page.open(account)
    browser.wait(lambda: len(page.register()) > 10, "the register has its lines")
    browser.wait(lambda: browser.find_all("#chart .line"), "the chart is drawn")
    page.fill("2026-11-30", "Market hall", ("expenses:food:groceries", "24.80 EUR"), (account, ""))
    browser.find_all("#lines .reveal")[2].click()
    browser.wait(lambda: browser.find_all("#lines .details li"), "a transaction is open")
    browser.script("document.activeElement.blur(); window.scrollTo(0, 0)")
    browser.picture(path)
    print(f"{path}: {pathlib.Path(path).stat().st_size // 1024} KB")


def take_overview(page, path, width, height, mode):
    """Takes a picture of the first view at a window size."""
    browser = page.browser
    browser.look(width, height, mode, motion="reduce")
    page.open()
    browser.wait(lambda: len(page.register()) > 10, "the transactions are listed")
    browser.wait(lambda: browser.find_all("#worth .line"), "the chart is drawn")
    browser.wait(lambda: browser.find_all("#income tr"), "the income statement is there")
    browser.picture(path)


def take_inspector(browser, server, path):
    """Takes a picture of the inspector with the tree of a posted transaction."""
    browser.look(1280, 800, "light", motion="reduce")
    browser.open(server.inspector())
    browser.wait(lambda: browser.text("#status").startswith("live"), "the inspector is live")
    browser.click("#flow-clear")
    server.post("2026-11-30", "Market hall", ("expenses:food:groceries", "24.80 EUR"), (account, None))
    chain = "#flow-tree > li[data-type='POST /api/transactions']"
    browser.click(f"{chain} > .row .twist")
    browser.wait(lambda: browser.find_all(f"{chain} li[data-type=KeepStatement]"), "its events are handled")
    browser.wait(lambda: not browser.find_all(f"{chain} .wait"), "all of its entries have ended")
    browser.picture(path)


def shrink(path):
    """Reduces a picture to 256 colours, because the repository stores it."""
    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
    small.save(path, optimize=True)
    print(f"{path}: {path.stat().st_size // 1024} KB")


def main(folder=None):
    with tempfile.TemporaryDirectory() as books:
        journal = pathlib.Path(books, "household.journal")
        journal.write_text(household(), encoding="utf-8")
        browser = Browser()
        try:
            with Ledger(pathlib.Path(books, "books.sqlite"), "--inspect") as server:
                page = LedgerPage(browser, server.address).open()
                page.begin_import(journal)
                page.wait_import("finished")
                picture = root / "docs/pictures/ledger.png"
                take(page, picture, 1280, 800, "light")
                shrink(picture)
                inspector = root / "docs/pictures/inspector.png"
                take_inspector(browser, server, inspector)
                shrink(inspector)
                if folder is not None:
                    for width, height in ((1280, 900), (900, 1000), (360, 740)):
                        for mode in ("light", "dark"):
                            take(page, pathlib.Path(folder, f"{width}-{mode}.png"), width, height, mode)
                            take_overview(page, pathlib.Path(folder, f"overview-{width}-{mode}.png"), width, height, mode)
                    take_overview(page, pathlib.Path(folder, "overview-360-whole.png"), 360, 4_000, "light")
        finally:
            browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
