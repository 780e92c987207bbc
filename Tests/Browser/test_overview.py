"""The first view, filters, reversals, and downloads, in a real browser."""

import datetime
import unittest
from urllib.parse import parse_qsl, urlsplit

from ledger_page import LedgerPageCase
from selenium.webdriver.common.action_chains import ActionChains
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

    def select(self, period):
        self.browser.script(
            """const choice = document.getElementById("period");
               choice.value = arguments[0];
               choice.dispatchEvent(new Event("change", { bubbles: true }))""",
            period,
        )

    def test_another_period_has_another_statement(self):
        self.page.open()
        self.select("last-year")
        self.browser.wait_text("#income-empty", "There is no income and there are no expenses in this period.")
        self.select("all")
        self.browser.wait(lambda: ["Net income", "1,965 EUR"] in self.statement(), "the statement is there")

    def test_no_amounts_of_another_period_are_shown_while_a_report_loads_or_after_its_error(self):
        self.page.open()
        self.browser.wait(lambda: ["Net income", "1,965 EUR"] in self.statement(), "the statement is there")
        self.page.intercept(
            "/api/income-statement?",
            """return new Promise((done) => {
                 window.refuse = () => done(Response.json({ detail: "The sum has too many digits." }, { status: 422 }));
               })""",
        )
        self.select("last-year")
        self.assertFalse(self.browser.find("#income").is_displayed())
        self.browser.wait(lambda: self.browser.script("return window.refuse !== undefined"), "the request is sent")
        self.browser.script("window.refuse()")
        self.browser.wait_text("#income-empty", "The sum has too many digits.")
        self.assertTrue(self.browser.find("#income-empty").is_displayed())
        self.assertFalse(self.browser.find("#income").is_displayed())

    def test_a_slow_report_is_reloaded_rarely_and_at_once_for_another_period(self):
        self.page.open()
        self.browser.wait(lambda: ["Net income", "1,965 EUR"] in self.statement(), "the statement is there")
        self.page.intercept(
            "/api/income-statement?",
            """window.requestCount = (window.requestCount ?? 0) + 1;
               if (window.requestCount === 1) await new Promise((done) => setTimeout(done, 3000));
               const answer = await send(path, options);
               window.hasAnswered = true;
               return answer""",
        )
        self.select("all")
        self.browser.wait(lambda: self.browser.script("return window.hasAnswered"), "the slow statement has arrived")
        # The list is loaded once in 250 milliseconds, so these reloads take longer than a second.
        lines = ["Bakery", "Market hall", "Salary"]
        for number in range(6):
            self.post(self.february, f"Tea {number}", ("expenses:tea", "1 EUR"), ("assets:bank", None))
            lines.insert(0, f"Tea {number}")
            self.wait_lines(*lines)
        self.assertEqual(self.browser.script("return window.requestCount"), 1)
        self.select("year")
        self.browser.wait(lambda: ["Net income", "1,959 EUR"] in self.statement(), "the statement has changed", 5)
        self.assertEqual(self.browser.script("return window.requestCount"), 2)

    def test_the_net_worth_is_loaded_again_until_the_server_has_computed_it(self):
        self.page.open()
        self.browser.wait(lambda: "1,965 EUR" in self.browser.text("#worth-reading"), "the chart ends with the net worth")
        # Two responses come too early: the server hasn't computed the net worth after the transaction yet.
        self.browser.script(
            "window.early = 2; return fetch('/api/net-worth').then((answer) => answer.text()).then((text) => { window.outdated = text })"
        )
        self.page.intercept(
            "/api/net-worth", "return window.early-- > 0 ? new Response(window.outdated) : send(path, options)"
        )
        self.post(self.february, "Tea", ("expenses:tea", "1 EUR"), ("assets:bank", None))
        self.browser.wait(lambda: "1,964 EUR" in self.browser.text("#worth-reading"), "the chart has changed")

    def test_an_account_of_the_statement_opens_its_register_and_the_title_leads_back(self):
        self.page.open()
        self.browser.click("#income a")
        self.browser.wait_text("#account-title", "income:salary")
        self.assertFalse(self.browser.find("#overview").is_displayed())
        self.browser.click("#home")
        self.browser.wait_text("#account-title", "Latest transactions")
        self.assertTrue(self.browser.find("#overview").is_displayed())

    def test_older_lines_belong_to_the_filter_that_is_typed(self):
        for number in range(120):
            self.post(self.january, f"Tea {number}", ("expenses:tea", "1 EUR"), ("assets:bank", None))
        self.page.open()
        self.browser.wait(lambda: len(self.page.register()) == 50, "the first page is there")

        # The click comes while the lines of the new filter are loaded.
        self.page.intercept(
            "/api/transactions?text=tea",
            """window.asked ??= new Promise((done) => { window.answer = done; });
               await window.asked;
               return send(path, options)""",
        )
        self.browser.type("#filter-text", "tea")
        self.browser.wait(lambda: self.browser.script("return window.answer !== undefined"), "the request is sent")
        self.browser.script("document.getElementById('older').click(); window.answer()")
        self.browser.wait(lambda: self.descriptions()[:1] == ["Tea 119expenses:tea, assets:bank"], "the newest line matches")
        self.browser.wait(lambda: self.browser.find("#older").is_enabled(), "there are older lines")
        self.browser.wait_text("#page-number", "Page 1")

        # Two clicks at once turn one page.
        self.browser.script("for (const click of [1, 2]) document.getElementById('older').click()")
        self.browser.wait_text("#page-number", "Page 2")
        self.browser.wait(lambda: self.descriptions()[:1] == ["Tea 69expenses:tea, assets:bank"], "the second page is there")

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

    def test_a_reversal_that_was_sent_cannot_be_cancelled(self):
        self.page.open("expenses:food")
        self.wait_lines("Bakery", "Market hall")
        self.page.intercept(
            "/reversal", "return new Promise((done) => { window.release = done }).then(() => send(path, options))"
        )
        self.browser.click("#lines .reveal")
        self.browser.click("#lines .reverse")
        self.browser.click("#reverse")
        self.browser.wait(lambda: self.browser.script("return window.release !== undefined"), "the request is sent")
        self.assertFalse(self.browser.find("#keep").is_enabled())
        for _ in range(3):
            ActionChains(self.browser.driver).send_keys(Keys.ESCAPE).perform()
        self.browser.wait(lambda: self.browser.find("#reversal").is_displayed(), "the dialog is open")
        self.browser.script("window.release()")
        self.browser.wait_text("#register-outcome", "Reversed.")
        self.assertFalse(self.browser.find("#reversal").is_displayed())

    def test_a_refused_reversal_is_sent_again_with_another_key(self):
        self.page.open("expenses:food")
        self.wait_lines("Bakery", "Market hall")
        self.page.intercept(
            "/reversal",
            """window.keys = [...(window.keys ?? []), options.headers["Idempotency-Key"]];
               return window.keys.length === 1 ? Response.json({ detail: "Not now." }, { status: 409 }) : send(path, options)""",
        )
        self.browser.click("#lines .reveal")
        self.browser.click("#lines .reverse")
        self.browser.click("#reverse")
        self.browser.wait_text("#reversal-refusal", "Not now.")
        self.browser.click("#reverse")
        self.browser.wait_text("#register-outcome", "Reversed.")
        self.assertEqual(len(set(self.browser.script("return window.keys"))), 2)

    def test_the_last_and_the_first_days_of_the_calendar_filter_the_lines(self):
        self.page.open()
        self.page.intercept("/api/transactions?", "window.asked = String(path); return send(path, options)")

        def end_for(day):
            self.browser.script(
                """window.asked = undefined;
                   document.getElementById("filter-to").value = arguments[0];
                   document.getElementById("filter-to").dispatchEvent(new Event("input", { bubbles: true }))""",
                day,
            )
            asked = lambda: self.browser.script("return window.asked")
            self.browser.wait(asked, "the transactions are requested")
            return dict(parse_qsl(urlsplit(asked()).query)).get("end")

        self.assertEqual(end_for("0050-12-31"), "0051-01-01")
        self.assertEqual(end_for("9999-12-30"), "9999-12-31")
        self.assertIsNone(end_for("9999-12-31"))
        self.wait_lines("Bakery", "Market hall", "Salary")

    def test_each_row_of_the_statement_has_a_header(self):
        self.page.open()
        self.browser.wait(lambda: ["Net income", "1,965 EUR"] in self.statement(), "the statement is there")
        headers = """return [...document.querySelectorAll("#income tr")].map((row) => row.cells[0].scope)"""
        self.assertEqual(set(self.browser.script(headers)), {"row", "rowgroup"})

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
        self.assertEqual(lines[1].split(",")[1:], [self.february, "Bakery", "expenses:food", "EUR", "5", "35"])

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
