"""The pages of the inspector and of the ledger follow the rules of accessibility."""

import unittest

from accessibility import unreachable, violations
from ledger_page import LedgerPageCase
from test_inspector import InspectorCase

SIZES = ((1280, 900), (390, 844))
MODES = ("light", "dark")


class InspectorPage(InspectorCase):
    def test_every_pane_is_accessible_in_both_sizes_and_schemes(self):
        self.begin("--redact")
        for amount, answer in ((1, "done"), (13, "done"), (5_000, "refused")):
            self.subject.tell(f"post {'long-account-name-' * 6} {amount}", answer)
        for width, height in SIZES:
            for mode in MODES:
                self.browser.look(width, height, mode, motion="reduce")
                for tab in ("flow", "rates", "graphs", "stations", "deliveries", "log"):
                    with self.subTest(width=width, mode=mode, tab=tab):
                        self.show(tab)
                        self.browser.wait(lambda: self.browser.text(f"#pane-{tab}").strip(), f"'{tab}' shows something")
                        if tab == "flow":
                            self.browser.script("document.getElementById('flow-filters').open = true")
                            self.browser.wait(lambda: self.browser.find_all("#flow-tree [role=treeitem]"), "there are messages")
                            self.expand()
                        self.assertEqual(violations(self.browser), [])

    def test_the_keyboard_reaches_every_control(self):
        self.begin()
        self.subject.tell("post bank 13")
        for tab in ("flow", "rates", "graphs", "stations", "deliveries", "log"):
            with self.subTest(tab=tab):
                self.show(tab)
                self.browser.wait(lambda: self.browser.text(f"#pane-{tab}").strip(), f"'{tab}' shows something")
                self.assertEqual(unreachable(self.browser), [])

    def test_the_selected_message_is_accessible(self):
        self.begin("--redact")
        self.subject.tell("post bank 5000", "refused")
        self.expand()
        self.browser.click("#flow-tree li[data-kind=command] > .row")
        self.browser.wait(lambda: self.browser.find("#message").is_displayed(), "the message is shown")
        for width, height in SIZES:
            for mode in MODES:
                with self.subTest(width=width, mode=mode):
                    self.browser.look(width, height, mode, motion="reduce")
                    self.assertEqual(violations(self.browser), [])
        self.assertEqual(unreachable(self.browser), [])

    def test_the_editor_of_a_dead_letter_is_accessible_in_both_sizes_and_schemes(self):
        self.begin()
        self.subject.tell(f"post {'long-account-name-' * 6} 13")
        self.show("deliveries")
        self.browser.wait(lambda: self.browser.find_all("details.letter"), "the dead letter is there")
        self.browser.find("details.letter summary").click()
        self.browser.find("details.letter [data-verb=edit]").click()
        self.browser.wait(lambda: self.browser.find_all(".editor textarea"), "the editor is open")
        for width, height in SIZES:
            for mode in MODES:
                self.browser.look(width, height, mode, motion="reduce")
                with self.subTest(width=width, mode=mode):
                    self.assertEqual(violations(self.browser), [])
                    self.assertEqual(unreachable(self.browser), [])
                    self.assertLessEqual(self.wide(), 0)


class LedgerPageAccessibility(LedgerPageCase):
    def test_the_ledger_is_accessible_in_both_sizes_and_schemes(self):
        self.post("2026-01-01", "Opening", ("assets:bank", "100 EUR"), ("equity:opening", None))
        self.post("2026-01-02", "Bakery", ("expenses:food", "3.10 EUR"), ("assets:bank", None))
        for account in (None, "assets:bank"):
            self.page.open(account)
            self.page.wait_balance("assets:bank", "96.90 EUR")
            for width, height in SIZES:
                for mode in MODES:
                    with self.subTest(width=width, mode=mode, account=account):
                        self.browser.look(width, height, mode, motion="reduce")
                        self.assertEqual(violations(self.browser, faint=".level:not(.zero)"), [])

    def test_the_keyboard_reaches_every_control_of_the_ledger(self):
        self.post("2026-01-01", "Opening", ("assets:bank", "100 EUR"), ("equity:opening", None))
        self.page.open("assets:bank")
        self.browser.wait(lambda: self.page.register(), "the register has lines")
        self.assertEqual(unreachable(self.browser), [])


if __name__ == "__main__":
    unittest.main()
