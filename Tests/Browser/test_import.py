"""Imports, by the page and by another process."""

import unittest

from ledger_page import LedgerPageCase


def journal(count, first=0):
    """Gives a journal of `count` transactions of 1 EUR, over some years."""
    return "\n".join(
        f"{2020 + number % 6}-{1 + number % 12:02}-{1 + number % 28:02} Number {number}\n"
        f"    expenses:e{number % 7}  1.00 EUR\n    assets:bank\n"
        for number in range(first, first + count)
    )


class Imports(LedgerPageCase):
    def done(self):
        return self.browser.script("return document.querySelector('#imports progress').value")

    def test_an_import_is_paused_resumed_and_reaches_its_end(self):
        count = 12_000
        self.page.open("assets:bank")
        self.browser.script(
            """window.percents = [];
               new MutationObserver(() => {
                 const text = document.querySelector("#imports .percent")?.textContent;
                 if (text && text !== window.percents.at(-1)) window.percents.push(text);
               }).observe(document.getElementById("imports"), { subtree: true, childList: true, characterData: true });"""
        )
        self.page.begin_import(self.journal("many.journal", journal(count)))
        self.page.wait_import("running")
        self.browser.wait(lambda: self.done() > 0, "the import gets on")
        self.browser.click("#imports button")
        self.page.wait_import("paused")
        # An answer that was on its way may show the state before once more.
        self.browser.wait_text("#imports .state", "Paused")

        # What is paused stands still while the page lives: a transaction that is posted now comes and the import does not
        # get on.
        [paused] = self.server.get("/api/imports")["imports"]
        self.assertGreater(paused["done"], 0)
        self.assertLess(paused["done"], paused["total"])
        self.page.post("2026-01-01", "Meanwhile", ("expenses:tea", "5 EUR"), ("assets:tea", None))
        self.page.wait_balance("expenses:tea", "5.00 EUR")
        [still] = self.server.get("/api/imports")["imports"]
        self.assertEqual(still, paused)
        self.assertNotEqual(self.browser.text("#imports .percent"), "100%")

        self.assertEqual(self.browser.text("#imports button"), "Resume")
        self.browser.click("#imports button")
        self.page.wait_import("finished", 120)
        self.assertEqual(self.browser.text("#imports .percent"), "100%")
        self.assertEqual(
            self.browser.text("#imports .counts"), f"\u00b7 {count:,} transactions posted, and the whole journal is in the ledger."
        )
        self.page.wait_balance("assets:bank", f"\u2212{count:,}.00 EUR")
        self.browser.wait_text("#count", f"{count + 1:,} transactions")
        self.assertFalse(self.browser.find("#imports button").is_displayed())
        percents = [int(text.rstrip("%")) for text in self.browser.script("return window.percents")]
        self.assertEqual(percents, sorted(percents), "the progress went back")
        self.assertGreater(len(percents), 3, "the progress jumped")
        self.assertEqual(self.browser.errors(), [])

    def test_a_journal_with_a_fault_shows_its_line(self):
        self.page.open()
        text = "2026-01-01 Good\n    a  1 EUR\n    b\n\n2026-01-02 Bad\n    a  1 EUR\n    b  2 EUR\n"
        self.page.begin_import(self.journal("fault.journal", text))
        self.browser.wait(
            lambda: "instead of zero" in (self.browser.text("#import-refusal") + (self.browser.text("#imports .refusal") or "")),
            "the reason is shown",
        )
        shown = self.browser.text("#import-refusal") + (self.browser.text("#imports .refusal") or "")
        self.assertRegex(shown, r"^Line [5-7]: ")

    def test_the_same_journal_again_posts_nothing(self):
        self.page.open()
        path = self.journal("twice.journal", journal(20))
        self.page.begin_import(path)
        self.page.wait_import("finished")
        self.page.wait_balance("assets:bank", "\u221220.00 EUR")
        self.page.begin_import(path)
        self.browser.wait(lambda: len(self.browser.find_all("#imports li[data-state=finished]")) == 2, "both have ended")
        self.assertEqual(
            self.browser.text("#imports li .counts"),
            "\u00b7 0 transactions posted, 20 were posted before, and the whole journal is in the ledger.",
        )
        self.assertEqual(self.page.balance("assets:bank"), "\u221220.00 EUR")

    def test_a_changed_journal_is_refused_until_its_transactions_are_replaced(self):
        self.page.open()
        text = "2026-01-01 Rent\n    home  700 EUR\n    bank\n"
        self.page.begin_import(self.journal("changed.journal", text))
        self.page.wait_balance("home", "700 EUR")
        path = self.journal("changed.journal", text.replace("700", "800"))
        self.page.begin_import(path)
        self.browser.wait(lambda: "2026-01-01 Rent (700 EUR to 'home')" in self.browser.text("#import-refusal"), "it is refused")
        self.browser.script("document.getElementById('missing').value = 'replace'")
        self.page.begin_import(path)
        self.page.wait_balance("home", "800 EUR")
        # The choice counts for one import.
        self.assertEqual(self.browser.script("return document.getElementById('missing').value"), "refuse")

    def test_the_page_lives_while_thousands_of_accounts_come(self):
        count = 2_500
        self.page.open("assets:bank")
        text = "\n".join(
            f"2026-01-{1 + number % 28:02} Number {number}\n    expenses:g{number % 50}:a{number}  1.00 EUR\n    assets:bank\n"
            for number in range(count)
        )
        self.page.begin_import(self.journal("accounts.journal", text))
        self.page.post("2026-02-01", "Meanwhile", ("expenses:tea", "5.00 EUR"), ("assets:cash", None))
        self.page.wait_balance("expenses:tea", "5.00 EUR")
        self.page.wait_import("finished", 120)
        self.page.wait_balance("assets:bank", f"\u2212{count:,}.00 EUR")
        # The accounts, their groups, and those of what was posted meanwhile, each in its place.
        names = self.browser.script("return [...document.querySelectorAll('#accounts a')].map((one) => one.title)")
        self.assertEqual(len(names), count + 50 + 5)
        self.assertEqual(names, sorted(names, key=lambda name: name.split(":")))

    def test_what_another_process_imports_shows_up(self):
        self.page.open("assets:bank")
        self.page.browser.script("window.isTheSamePage = true")
        self.server.run("import", str(self.journal("other.journal", journal(30))))
        self.page.wait_balance("assets:bank", "\u221230.00 EUR")
        self.browser.wait_text("#count", "30 transactions")
        self.browser.wait(lambda: len(self.page.register()) == 30, "the register has the lines")
        self.assertTrue(self.browser.script("return window.isTheSamePage"), "the page was loaded again")


if __name__ == "__main__":
    unittest.main()
