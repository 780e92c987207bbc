"""The first view, filters, reversals, and downloads, in a real browser."""

import datetime
import unittest

from ledger_page import LedgerPageCase
from selenium.webdriver.common.keys import Keys


class Overview(LedgerPageCase):
    def setUp(self):
        super().setUp()
        year = datetime.date.today().year
        self.january, self.february = f"{year}-01-05", f"{year}-02-09"
        self.post(self.january, "Salary", ("assets:bank", "2000 EUR"), ("income:salary", None))
        self.post(self.january, "Market hall", ("expenses:food", "30 EUR"), ("assets:bank", None))
        self.post(self.february, "Bakery", ("expenses:food", "5 EUR"), ("assets:bank", None))

    def descriptions(self):
        return [line[1].removeprefix("\u203a") for line in self.page.register()]

    def wait_lines(self, *beginnings):
        """Waits until the lines have these descriptions, each with the accounts behind it or without."""
        def fits():
            lines = self.descriptions()
            return len(lines) == len(beginnings) and all(line.startswith(one) for line, one in zip(lines, beginnings))
        self.browser.wait(fits, f"the lines are {beginnings}")

    def statement(self):
        return self.browser.script(
            """return [...document.querySelectorAll("#income tr")].map((row) => [...row.cells].map((cell) => cell.textContent))"""
        )

    def test_the_first_view_shows_worth_income_and_the_latest_transactions(self):
        self.page.open()
        self.browser.wait_text("#account-title", "Latest transactions")
        self.wait_lines("Bakery", "Market hall", "Salary")
        self.browser.wait(lambda: self.browser.find_all("#worth svg"), "the chart is drawn")
        self.browser.wait(lambda: "1,965 EUR" in self.browser.text("#worth-reading"), "the chart ends with the net worth")
        expected = [
            ["Income"], ["income:salary", "2,000 EUR"], ["Total income", "2,000 EUR"],
            ["Expenses"], ["expenses:food", "35 EUR"], ["Total expenses", "35 EUR"], ["Net income", "1,965 EUR"],
        ]
        self.browser.wait(lambda: self.statement() == expected, "the income statement has its lines")
        self.assertEqual(self.browser.errors(), [])

        self.page.post(self.february, "Tea", ("expenses:tea", "1 EUR"), ("assets:bank", None))
        self.wait_lines("Tea", "Bakery", "Market hall", "Salary")
        self.browser.wait(lambda: ["Net income", "1,964 EUR"] in self.statement(), "the statement has changed")
        self.browser.wait(lambda: "1,964 EUR" in self.browser.text("#worth-reading"), "the chart has changed")

    def test_another_period_has_another_statement(self):
        self.page.open()

        def select(period):
            self.browser.script(
                """const choice = document.getElementById("period");
                   choice.value = arguments[0];
                   choice.dispatchEvent(new Event("change", { bubbles: true }))""",
                period,
            )

        select("last-year")
        self.browser.wait_text("#income-empty", "There is no income and there are no expenses in this period.")
        select("all")
        self.browser.wait(lambda: ["Net income", "1,965 EUR"] in self.statement(), "the statement is there")

    def test_an_account_of_the_statement_opens_its_register_and_the_title_leads_back(self):
        self.page.open()
        self.browser.click("#income a")
        self.browser.wait_text("#account-title", "income:salary")
        self.assertFalse(self.browser.find("#overview").is_displayed())
        self.browser.click("#home")
        self.browser.wait_text("#account-title", "Latest transactions")
        self.assertTrue(self.browser.find("#overview").is_displayed())

    def test_words_and_days_filter_the_lines(self):
        self.page.open()
        self.wait_lines("Bakery", "Market hall", "Salary")
        self.browser.type("#filter-text", "hall")
        self.wait_lines("Market hall")
        self.browser.type("#filter-text", " nothing")
        self.browser.wait_text("#register-empty", "No transaction matches the filter.")
        self.browser.click("#filter-clear")
        self.wait_lines("Bakery", "Market hall", "Salary")
        self.browser.script(
            """for (const name of ["from", "to"]) document.getElementById(`filter-${name}`).value = arguments[0];
               document.getElementById("filter-to").dispatchEvent(new Event("input", { bubbles: true }))""",
            self.february,
        )
        self.wait_lines("Bakery")
        self.page.choose("assets:bank")
        self.wait_lines("Bakery")
        self.assertEqual(self.page.register()[0][2], "\u22125 EUR")
        self.browser.click("#filter-clear")
        self.wait_lines("Bakery", "Market hall", "Salary")
        self.assertEqual(self.page.register()[0][3], "1,965 EUR")

    def test_a_transaction_is_reversed_after_a_confirmation(self):
        self.page.open("expenses:food")
        self.wait_lines("Bakery", "Market hall")
        self.browser.click("#lines .reveal")
        self.browser.click("#lines .reverse")
        self.browser.wait(lambda: self.browser.find("#reversal").is_displayed(), "the dialog is open")
        self.assertEqual(self.browser.text("#reversal-what"), f"{self.february} Bakery")
        self.browser.type("#reversal-date", Keys.ESCAPE)
        self.browser.wait(lambda: not self.browser.find("#reversal").is_displayed(), "the dialog is closed")
        self.assertEqual(len(self.page.register()), 2)

        self.browser.click("#lines .reverse")
        self.browser.click("#reverse")
        self.browser.wait_text("#register-outcome", "Reversed.")
        self.page.wait_balance("expenses:food", "30 EUR")
        self.browser.wait(lambda: len(self.page.register()) == 3, "the reversing transaction is in the register")
        details = "return document.querySelector('#lines .details').textContent"
        self.browser.wait(lambda: "This transaction was reversed." in self.browser.script(details), "the details say so")
        self.assertEqual(self.browser.find_all("#lines .details .reverse"), [])
        self.assertEqual(self.browser.errors(), [])

    def test_pages_that_were_left_leave_their_connections(self):
        # A browser opens at most six connections to a server.
        for _ in range(4):
            self.page.open("assets:bank")
            self.wait_lines("Bakery", "Market hall", "Salary")
            self.page.open()
            self.wait_lines("Bakery", "Market hall", "Salary")
        self.browser.driver.back()
        self.browser.wait_text("#account-title", "assets:bank")
        self.page.wait_live()
        self.page.post(self.february, "Tea", ("expenses:tea", "1 EUR"), ("assets:bank", None))
        self.wait_lines("Tea", "Bakery", "Market hall", "Salary")

    def test_downloads_follow_the_view(self):
        self.page.open()
        self.wait_lines("Bakery", "Market hall", "Salary")

        def download():
            path = self.browser.find("#csv-lines").get_attribute("href").removeprefix(self.server.address)
            answer = self.server.ask("GET", path)
            self.assertEqual(answer.status, 200)
            return path, answer.body.decode().splitlines()

        path, lines = download()
        self.assertTrue(path.startswith("/api/transactions.csv"), path)
        self.assertEqual(len(lines), 7)
        self.page.choose("expenses:food")
        self.wait_lines("Bakery", "Market hall")
        path, lines = download()
        self.assertTrue(path.startswith("/api/register.csv"), path)
        self.assertEqual(lines[1].split(",")[1:], [self.february, "Bakery", "EUR", "5", "35"])

    def test_nothing_is_wider_than_a_small_phone(self):
        for width in (360, 390, 768, 1280):
            for mode in ("light", "dark"):
                with self.subTest(width=width, mode=mode):
                    self.browser.look(width, 740, mode)
                    self.page.open()
                    self.wait_lines("Bakery", "Market hall", "Salary")
                    self.browser.wait(lambda: self.browser.find_all("#worth svg"), "the chart is drawn")
                    self.browser.click("#lines .reveal")
                    self.browser.wait(lambda: self.browser.find_all("#lines .reverse"), "the details are open")
                    self.assertEqual(self.page.wide(), 0)


if __name__ == "__main__":
    unittest.main()
