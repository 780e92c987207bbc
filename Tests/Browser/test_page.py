"""Balances, the register, the chart and the form, in a real browser."""

import unittest

from browser import Browser
from ledger_page import LedgerPage, LedgerPageCase
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys


class Balances(LedgerPageCase):
    def test_the_page_loads_without_complaints(self):
        self.post("2026-01-01", "Opening", ("assets:bank", "100.00 EUR"), ("equity:opening", None))
        self.page.open("assets:bank")
        self.browser.wait(lambda: len(self.page.register()) == 1, "the register has its line")
        self.browser.wait(lambda: self.browser.find_all("#chart svg"), "the chart is drawn")
        self.assertEqual(self.browser.errors(), [])
        self.assertEqual(self.browser.text("#account-title"), "assets:bank")
        self.assertEqual(self.page.register(), [["2026-01-01", "Opening", "100.00 EUR", "100.00 EUR"]])

    def test_empty_books_say_what_to_do(self):
        self.page.open()
        self.browser.wait_text(
            "#accounts-empty", "There are no accounts yet. Post a transaction or import a journal."
        )
        self.assertEqual(self.browser.text("#count"), "0 transactions")
        self.assertEqual(self.browser.errors(), [])

    def test_a_transaction_moves_two_balances_in_two_open_pages(self):
        self.post("2026-01-01", "Opening", ("assets:bank", "100.00 EUR"), ("equity:opening", None))
        other = Browser()
        self.addCleanup(other.close)
        second = LedgerPage(other, self.server.address).open("assets:bank")
        first = self.page.open("expenses:food")
        for page in (first, second):
            page.wait_balance("assets:bank", "100.00 EUR")
            page.browser.script("window.isTheSamePage = true")

        first.post("2026-01-02", "Market hall", ("expenses:food", "12.30 EUR"), ("assets:bank", None))

        for page in (first, second):
            page.wait_balance("assets:bank", "87.70 EUR")
            page.wait_balance("expenses:food", "12.30 EUR")
            page.browser.wait_text("#count", "2 transactions")
            self.assertTrue(page.browser.script("return window.isTheSamePage"), "a page was loaded again")
            self.assertEqual(page.browser.errors(), [])
        newest = ["2026-01-02", "Market hall", "\u221212.30 EUR", "87.70 EUR"]
        other.wait(lambda: second.register()[:1] == [newest], "the register of the other page has the line")

    def test_parents_show_what_is_below_them_and_negative_amounts_have_a_sign(self):
        self.post("2026-01-01", "One", ("assets:bank:a", "1000.10 EUR"), ("equity", None))
        self.post("2026-01-01", "Two", ("assets:bank:b", "2000.20 EUR"), ("equity", None))
        self.post("2026-01-02", "Dollars", ("assets:bank:b", "5 USD"), ("equity", None))
        self.page.open()
        self.page.wait_balance("assets", "3,000.30 EUR, 5 USD")
        self.page.wait_balance("assets:bank", "3,000.30 EUR, 5 USD")
        self.page.wait_balance("assets:bank:b", "2,000.20 EUR, 5 USD")
        self.page.wait_balance("equity", "\u22123,000.30 EUR, \u22125 USD")

    def test_amounts_of_a_commodity_line_up_when_one_has_more_digits(self):
        self.post("2026-01-01", "Whole", ("assets", "5 EUR"), ("equity", None))
        self.page.open()
        self.page.wait_balance("assets", "5 EUR")
        self.post("2026-01-02", "Cents", ("expenses", "1.50 EUR"), ("income", None))
        self.page.wait_balance("expenses", "1.50 EUR")
        self.page.wait_balance("assets", "5.00 EUR")

    def test_what_has_come_to_nothing_is_zero(self):
        self.post("2026-01-01", "Lent", ("assets:friends", "20.00 EUR"), ("assets:cash", None))
        self.post("2026-01-02", "Given back", ("assets:cash", "20.00 EUR"), ("assets:friends", None))
        self.page.open("assets:friends")
        for account in ("assets", "assets:cash", "assets:friends"):
            self.browser.wait(lambda: (self.page.balance(account) or "").startswith("0"), f"{account} is zero")
        self.browser.wait(lambda: len(self.page.register()) == 2, "the register has its lines")
        self.assertTrue(self.page.register()[0][3].startswith("0"), self.page.register())

    def test_quantities_that_no_number_of_the_browser_holds_are_shown_exactly(self):
        self.post("2026-01-01", "Large", ("assets", "9007199254740993.01 EUR"), ("equity", None))
        self.post("2026-01-01", "Small", ("assets", "0.02 EUR"), ("equity", None))
        self.page.open("assets")
        self.page.wait_balance("assets", "9,007,199,254,740,993.03 EUR")

    def test_markup_in_names_is_text(self):
        account = "assets:<img src=x onerror=window.wasRun=1>"
        description = "<script>window.wasRun=1</script><b>bold</b> & \"quoted\""
        self.post("2026-01-01", description, (account, "1.00 <i>X</i>".replace("<i>X</i>", '"<i>"')), ("equity", None))
        self.page.open(account)
        self.browser.wait(lambda: self.page.register(), "the register has its line")
        self.assertEqual(self.page.register()[0][1], description)
        self.assertEqual(self.page.balance(account), "1.00 <i>")
        self.assertEqual(self.browser.text("#account-title"), account)
        self.assertEqual(self.browser.script("return document.querySelectorAll('#accounts img, main b, main i').length"), 0)
        self.assertIsNone(self.browser.script("return window.wasRun ?? null"))
        self.assertEqual(self.browser.errors(), [])

    def test_a_word_finds_an_account(self):
        self.post("2026-01-01", "One", ("assets:bank", "1 EUR"), ("equity:opening", None))
        self.page.open()
        self.page.wait_balance("assets:bank", "1 EUR")
        shown = "return [...document.querySelectorAll('#accounts li:not([hidden]) a')].map((one) => one.title)"
        self.browser.type("#find", "OPEN")
        self.assertEqual(self.browser.script(shown), ["equity", "equity:opening"])
        self.browser.type("#find", "!")
        self.browser.wait_text("#accounts-empty", "No account has such a name.")


class TheRegister(LedgerPageCase):
    def test_pages_lead_to_the_oldest_line_and_back(self):
        for number in range(120):
            self.post("2026-01-01", f"Number {number}", ("assets", "1 EUR"), ("equity", None))
        self.page.open("assets")

        def descriptions():
            return [line[1] for line in self.page.register()]

        def wait(first, last):
            expected = [f"Number {number}" for number in range(first, last - 1, -1)]
            self.browser.wait(lambda: descriptions() == expected, f"the lines {first} to {last}")

        wait(119, 70)
        self.browser.click("#older")
        wait(69, 20)
        self.browser.click("#older")
        wait(19, 0)
        self.assertFalse(self.browser.find("#older").is_enabled())
        self.assertEqual(self.page.register()[-1][3], "1 EUR")
        self.browser.click("#newer")
        wait(69, 20)
        self.browser.click("#newest")
        wait(119, 70)
        self.assertFalse(self.browser.find("#newer").is_enabled())

    def test_the_account_stands_in_the_address(self):
        self.post("2026-01-01", "One", ("assets:bank", "1 EUR"), ("equity", None))
        self.page.open()
        self.page.wait_balance("assets:bank", "1 EUR")
        self.page.choose("assets:bank")
        self.page.choose("equity")
        self.browser.driver.back()
        self.browser.wait_text("#account-title", "assets:bank")
        self.browser.driver.refresh()
        self.browser.wait(lambda: self.page.register(), "the register is there again")
        self.assertEqual(self.browser.text("#account-title"), "assets:bank")

    def test_a_line_opens_to_the_whole_transaction_and_stays_open_when_others_come(self):
        self.post("2026-01-01", "Market hall", ("expenses:food", "3 EUR"), ("expenses:tea", "4 EUR"), ("assets", None))
        self.page.open("assets")
        self.browser.wait(lambda: self.page.register(), "the register has its line")
        details = """return [...document.querySelectorAll("#lines .details li")].map((one) =>
            [one.querySelector("a").textContent, one.querySelector(".amount").textContent])"""
        postings = [["expenses:food", "3 EUR"], ["expenses:tea", "4 EUR"], ["assets", "\u22127 EUR"]]
        self.browser.type("#lines .reveal", Keys.ENTER)
        self.browser.wait(lambda: self.browser.script(details) == postings, "the postings are shown")
        self.assertEqual(self.browser.of_focused("aria-expanded"), "true")

        self.post("2026-01-02", "Another", ("expenses:tea", "1 EUR"), ("assets", None))
        self.browser.wait(lambda: len(self.page.register()) == 2, "the other line has come")
        self.assertEqual(self.browser.script(details), postings)
        self.assertEqual(self.browser.of_focused("textContent"), "Market hall")
        self.assertEqual(self.browser.of_focused("aria-expanded"), "true")

        self.browser.click("#lines .details a")
        self.browser.wait_text("#account-title", "expenses:food")
        self.browser.wait(lambda: len(self.page.register()) == 1, "the register is that of the other account")
        self.assertEqual(self.browser.script(details), [])

    def test_an_unknown_account_is_said_to_be_unknown(self):
        self.page.open("no:such")
        self.browser.wait(lambda: "no:such" in self.browser.text("#register-empty"), "the reason names the account")

    def test_the_chart_reads_the_balance_of_a_day(self):
        self.post("2026-01-01", "One", ("assets", "100.00 EUR"), ("equity", None))
        self.post("2026-02-03", "Two", ("assets", "-30.00 EUR"), ("equity", None))
        self.post("2026-03-04", "Three", ("assets", "7 USD"), ("equity", None))
        self.page.open("assets")
        self.browser.wait_text("#chart-reading", "3 Feb 2026 70.00 EUR")
        self.browser.wait(lambda: self.browser.find("#chart-choice").is_displayed(), "the other commodity is there")
        self.browser.type("#chart svg", Keys.ARROW_LEFT)
        self.browser.wait_text("#chart-reading", "1 Jan 2026 100.00 EUR")
        self.assertEqual(self.browser.of_focused("aria-valuetext"), "1 Jan 2026: 100.00 EUR")

        self.browser.type("#chart-commodity", "USD")
        self.browser.wait_text("#chart-reading", "4 Mar 2026 7 USD")

    def test_the_chart_follows_what_is_posted(self):
        self.post("2026-01-01", "One", ("assets", "100 EUR"), ("equity", None))
        self.page.open("assets")
        self.browser.wait_text("#chart-reading", "1 Jan 2026 100 EUR")
        self.post("2026-02-01", "Two", ("assets", "11 EUR"), ("equity", None))
        self.browser.wait_text("#chart-reading", "1 Feb 2026 111 EUR")


class TheForm(LedgerPageCase):
    def test_a_refused_transaction_shows_the_reason_and_where_it_is(self):
        self.page.open()
        self.page.fill("2026-01-02", "Off", ("expenses:food", "12.30 EUR"), ("assets:bank", "-12.00 EUR"))
        self.page.submit()
        reason = "The postings add up to 0.30 EUR instead of zero. To fix, correct an amount, or omit one amount to have it computed."
        self.browser.wait_text("#refusal", reason)
        field = self.browser.focused()
        self.assertEqual(field.get_attribute("class"), "number")
        self.assertEqual(field.get_attribute("aria-invalid"), "true")
        self.assertEqual(self.server.get("/api/balances")["balances"], [])

        field.clear()
        field.send_keys("\u221212.30 EUR")
        field.send_keys(Keys.ENTER)
        self.browser.wait_text("#outcome", "Posted.")
        self.assertEqual(self.browser.text("#refusal"), "")
        self.page.wait_balance("assets:bank", "\u221212.30 EUR")

    def test_the_form_shows_amounts_as_understood_and_refuses_ambiguous_ones(self):
        self.page.open()
        self.page.fill("2026-01-02", "Rent", ("home", "1,825 EUR"), ("bank", None))
        self.page.submit()
        self.browser.wait(lambda: "write 1825 or 1.8250" in self.browser.text("#refusal"), "the amount is refused")
        self.assertEqual(self.server.get("/api/balances")["balances"], [])
        self.page.post("2026-01-02", "Rent", ("home", "1.825,00 EUR"), ("bank", None))
        self.browser.wait_text("#understood", "1,825.00 EUR to home; \u22121,825.00 EUR to bank.")

    def test_each_fault_takes_the_focus_to_its_field(self):
        self.page.open()
        faults = [
            ([("expenses:food", "twelve"), ("assets:bank", None)], "#postings .posting:nth-child(1) input.number"),
            ([("expenses:food", "1 EUR"), ("", "-1 EUR")], "#postings .posting:nth-child(2) input.account"),
            ([("expenses:food", "1 EUR"), ("", None)], "#postings .posting:nth-child(2) input.account"),
            ([("expenses:food", None), ("assets:bank", None)], "#postings .posting:nth-child(1) input.number"),
        ]
        for postings, selector in faults:
            with self.subTest(postings=postings):
                self.page.fill("2026-01-02", "Fault", *postings)
                self.page.submit()
                self.browser.wait(lambda: self.browser.text("#refusal") != "", "there is a reason")
                self.assertEqual(self.browser.focused(), self.browser.find(selector), self.browser.text("#refusal"))
        self.page.fill("", "No day", ("expenses:food", "1 EUR"), ("assets:bank", None))
        self.page.submit()
        self.browser.wait(lambda: self.browser.focused() == self.browser.find("#date"), "the day has the focus")
        self.assertEqual(self.server.get("/api/balances")["balances"], [])

    def test_any_number_of_postings(self):
        self.page.open()
        self.page.post(
            "2026-01-05",
            "Market hall",
            ("expenses:food", "3 EUR"),
            ("expenses:coffee", "4 EUR"),
            ("expenses:books", "5 EUR"),
            ("assets:cash", None),
        )
        self.page.wait_balance("assets:cash", "\u221212 EUR")
        self.page.wait_balance("expenses", "12 EUR")

        self.page.fill("2026-01-06", "Removed", ("a", "1 EUR"), ("b", "1 EUR"), ("c", None))
        self.browser.find("#postings .posting:nth-child(2) .remove").click()
        self.page.submit()
        self.page.wait_balance("c", "\u22121 EUR")
        self.assertIsNone(self.page.balance("b"))

    def test_a_rule_of_an_account_is_refused_with_its_reason(self):
        self.post("2026-01-01", "Opening", ("assets:cash", "10 EUR"), ("equity", None))
        rule = {"neverBelowZero": True, "closedFrom": None}
        self.assertEqual(self.server.ask("PUT", "/api/rule?account=assets:cash", rule).status, 200)
        self.page.open()
        self.page.fill("2026-01-02", "Too much", ("expenses:food", "11 EUR"), ("assets:cash", None))
        self.page.submit()
        self.browser.wait(lambda: "assets:cash" in self.browser.text("#refusal"), "the reason names the account")
        self.assertEqual(self.browser.focused(), self.browser.find("#postings .posting:nth-child(2) input.number"))
        self.assertEqual(self.page.balance("assets:cash"), "10 EUR")

    def lose_answers(self, count):
        """Has the page not hear the first answers to what it posts, after the server has done its work."""
        self.browser.script(
            """const send = window.fetch;
               window.sent = [];
               window.fetch = async (path, options) => {
                 const answer = await send(path, options);
                 const key = options?.headers?.["Idempotency-Key"];
                 if (key && window.sent.push(key) <= arguments[0]) throw new TypeError("lost");
                 return answer;
               }""",
            count,
        )

    def test_a_transaction_whose_answer_was_lost_is_posted_once(self):
        self.page.open()
        self.lose_answers(1)
        self.page.post("2026-01-02", "Once", ("expenses", "1 EUR"), ("assets", None))
        first, second = self.browser.script("return window.sent")
        self.assertEqual(first, second)
        self.page.post("2026-01-02", "Once", ("expenses", "1 EUR"), ("assets", None))
        self.assertNotIn(self.browser.script("return window.sent[2]"), (first, second))
        self.page.wait_balance("expenses", "2 EUR")
        self.browser.wait_text("#count", "2 transactions")

    def test_whoever_posts_again_what_nobody_answered_posts_it_once(self):
        self.page.open()
        self.lose_answers(5)
        self.page.fill("2026-01-02", "Once", ("expenses", "1 EUR"), ("assets", None))
        self.page.submit()
        self.browser.wait_text(
            "#refusal",
            "The server didn't answer, so the transaction may be posted or not. "
            "Post it again, unchanged: it is posted only once.",
        )
        self.page.submit()
        self.browser.wait_text("#outcome", "Posted.")
        sent = self.browser.script("return window.sent")
        self.assertEqual(len(sent), 6)
        self.assertEqual(len(set(sent)), 1)
        self.page.wait_balance("expenses", "1 EUR")
        self.browser.wait_text("#count", "1 transaction")


class WithoutAMouse(LedgerPageCase):
    def press(self, *keys):
        ActionChains(self.browser.driver).send_keys(*keys).perform()

    def tab_to(self, selector):
        """Presses Tab until the element has the focus, which must then be visible."""
        wanted = self.browser.find(selector)
        for _ in range(60):
            if self.browser.focused() == wanted:
                break
            self.press(Keys.TAB)
        self.assertEqual(self.browser.focused(), wanted, f"Tab never came to '{selector}'")
        self.assertEqual(wanted.value_of_css_property("outline-style"), "solid", f"'{selector}' does not show its focus")

    def test_all_is_done_by_keyboard(self):
        self.post("2026-01-01", "One", ("assets:bank", "100 EUR"), ("equity", None))
        self.post("2026-01-02", "Two", ("assets:bank", "1 EUR"), ("equity", None))
        self.page.open()
        self.page.wait_balance("assets:bank", "101 EUR")

        self.press(Keys.TAB)
        self.assertEqual(self.browser.of_focused("textContent"), "Skip to the transactions")
        self.tab_to("#accounts a[title='assets']")
        self.press(Keys.ARROW_DOWN)
        self.press(Keys.ENTER)
        self.browser.wait_text("#account-title", "assets:bank")
        self.browser.wait_text("#chart-reading", "2 Jan 2026 101 EUR")
        self.tab_to("#chart svg")
        self.press(Keys.HOME)
        self.browser.wait_text("#chart-reading", "1 Jan 2026 100 EUR")

        self.tab_to("#description")
        self.press("By hand")
        self.tab_to("#postings .posting:nth-child(1) input.account")
        self.press("expenses:tea")
        self.press(Keys.TAB, "2 EUR", Keys.TAB, Keys.TAB, "assets:bank", Keys.TAB)
        self.press(Keys.ENTER)
        self.browser.wait_text("#outcome", "Posted.")
        self.page.wait_balance("expenses:tea", "2 EUR")
        self.assertEqual(self.browser.focused(), self.browser.find("#description"))

        self.tab_to("#add-posting")
        self.press(Keys.ENTER)
        self.assertEqual(self.browser.focused(), self.browser.find("#postings .posting:nth-child(3) input.account"))
        self.tab_to("#file")
        self.tab_to("#start-import")
        self.press(Keys.ENTER)
        self.browser.wait_text("#import-refusal", "Choose a journal first.")

    def test_every_field_and_button_has_a_name(self):
        self.post("2026-01-01", "One", ("assets:bank", "100 EUR"), ("equity", None))
        self.page.open("assets:bank")
        self.browser.wait(lambda: self.browser.find_all("#chart svg"), "the chart is drawn")
        for element in self.browser.find_all("input, button, select, a, [tabindex='0'], progress"):
            if not element.is_displayed():
                continue
            self.assertNotEqual(element.accessible_name, "", element.get_attribute("outerHTML"))
        landmarks = self.browser.script("return ['header', 'nav', 'main', 'aside'].map((one) => document.querySelectorAll(one).length)")
        self.assertEqual(landmarks, [1, 2, 1, 1])


class ManySizes(LedgerPageCase):
    def test_nothing_is_wider_than_a_small_phone(self):
        long = "expenses:" + "Donaudampfschifffahrtsgesellschaftskapitaen" * 3 + ":a:b:c:d:e:f"
        self.post("2026-01-01", "A" * 300, (long, "123456789012345.12 EUR"), ("assets:bank", None))
        self.post("2026-01-02", "Words " * 60, ("assets:bank", '1.5 "' + "W" * 30 + '"'), ("equity:opening", None))
        for width in (360, 768, 1280):
            for mode in ("light", "dark"):
                with self.subTest(width=width, mode=mode):
                    self.browser.look(width, 740, mode)
                    self.page.open("assets:bank")
                    self.browser.wait(lambda: self.page.register(), "the register has lines")
                    self.browser.wait(lambda: self.browser.find_all("#chart svg"), "the chart is drawn")
                    self.assertEqual(self.page.wide(), 0)
                    self.page.fill("2026-01-03", "Off", ("a" * 200, "1 EUR"), ("b", "1 EUR"))
                    self.page.submit()
                    self.browser.wait(lambda: self.browser.text("#refusal") != "", "there is a reason")
                    self.assertEqual(self.page.wide(), 0)

    def test_text_stands_out_in_light_and_dark(self):
        self.post("2026-01-01", "One", ("assets:bank", "100 EUR"), ("equity", None))
        # Contrast as of WCAG 2.2, 1.4.3: https://www.w3.org/TR/WCAG22/#contrast-minimum
        contrast = """
            const luminance = (color) => {
              const [r, g, b] = color.match(/[\\d.]+/g).map((one) => one / 255)
                .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
              return 0.2126 * r + 0.7152 * g + 0.0722 * b;
            };
            const behind = (node) => {
              for (; node; node = node.parentElement) {
                const color = getComputedStyle(node).backgroundColor;
                if (!color.endsWith(", 0)")) return color;
              }
              return "rgb(255, 255, 255)";
            };
            const ratio = (left, right) => {
              const [one, two] = [luminance(left), luminance(right)];
              return (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
            };
            const shown = (selector) => [...document.querySelectorAll(selector)]
              .filter((node) => node.offsetParent !== null && !node.disabled);
            const texts = shown("h1, h2, h3, th, label, .soft, .hint, .quantity, .commodity, .date, .exports, a, button, .count, .connection")
              .map((node) => [ratio(getComputedStyle(node).color, behind(node)), 4.5, node.outerHTML.slice(0, 80)]);
            const controls = shown("input, select, button").filter((node) => getComputedStyle(node).borderTopWidth !== "0px")
              .map((node) => [ratio(getComputedStyle(node).borderTopColor, behind(node.parentElement)), 3, node.outerHTML.slice(0, 80)]);
            return [...texts, ...controls].filter(([found, needed]) => found < needed)"""
        for mode in ("light", "dark"):
            with self.subTest(mode=mode):
                self.browser.look(1280, 900, mode, motion="reduce")
                for account in (None, "equity"):
                    self.page.open(account)
                    self.browser.wait(lambda: self.page.register(), "the list has lines")
                    self.browser.click("#lines .reveal")
                    self.browser.wait(lambda: self.browser.find_all("#lines .reverse"), "a transaction is open")
                    self.assertEqual(self.browser.script(contrast), [])


class WhenTheServerIsGone(LedgerPageCase):
    def test_the_page_says_so_and_goes_on_when_it_is_back(self):
        self.post("2026-01-01", "One", ("assets:bank", "100 EUR"), ("equity", None))
        self.page.open("assets:bank")
        self.page.wait_balance("assets:bank", "100 EUR")
        self.browser.script("window.isTheSamePage = true")
        self.server.stop()
        self.browser.wait_text("#connection", "Reconnecting")
        self.browser.wait_text("#banner", "The server doesn't answer. The page may be outdated; trying again.")

        # What is posted meanwhile is sent when the server is back.
        self.page.fill("2026-01-02", "Meanwhile", ("expenses:tea", "3 EUR"), ("assets:bank", None))
        self.page.submit()
        self.browser.wait_text("#outcome", "The server doesn't answer. Trying again\u2026")

        self.server.start()
        self.page.wait_live()
        self.page.wait_balance("assets:bank", "97 EUR")
        self.assertFalse(self.browser.find("#banner").is_displayed())
        self.browser.wait_text("#count", "2 transactions")
        self.browser.wait(lambda: len(self.page.register()) == 2, "the register has both lines")
        self.assertTrue(self.browser.script("return window.isTheSamePage"), "the page was loaded again")


if __name__ == "__main__":
    unittest.main()
