"""Tests of the chains in the inspector's flow, and of the flow while many messages come."""

import time
import unittest

from selenium.webdriver.common.keys import Keys

from test_inspector import InspectorCase

# Each transaction has eleven messages and stages.
RATE = 12


class Chain(InspectorCase):
    def test_a_chain_is_a_waterfall_in_which_the_wait_for_a_delivery_is_a_gap(self):
        self.begin()
        self.subject.tell("post bank 5")
        self.expand()
        self.browser.wait(lambda: self.browser.text("#flow-tree").count("✓") == 11, "all entries have come")
        rows = self.browser.script(
            """return [...document.querySelectorAll('#flow-tree [role=treeitem]')].map((item) => {
                 const row = item.firstElementChild;
                 const box = (part) => { const { left, right } = row.querySelector(part).getBoundingClientRect(); return [left, right].map(Math.round); };
                 const spans = Object.fromEntries([...row.querySelectorAll('rect:not(.track)')].map((one) => {
                   const { left, right } = one.getBoundingClientRect();
                   return [one.getAttribute('class'), [left, right]];
                 }));
                 return { kind: item.dataset.kind, text: row.textContent, label: item.ariaLabel, bar: box('svg'), took: box('.took'), spans };
               })"""
        )
        line, delivery = rows[0], next(row for row in rows if "attempt 1" in row["text"])
        commit = next(row for row in rows if row["kind"] == "commit")

        self.assertEqual(len({tuple(row["bar"]) for row in rows}), 1, "the bars have one axis")
        self.assertEqual(len({row["took"][1] for row in rows}), 1, "the durations are aligned")
        self.assertEqual(sum("20" in row["text"].split("+")[0] and row["text"].count(":") == 2 for row in rows), 1, "the date is there once")
        self.assertIn("anna · 11 entries in ", line["text"])
        self.assertTrue(all("+" in row["text"] for row in rows[1:]))
        # A delivery can begin before the end of the commit is recorded.
        end = min(commit["spans"]["span"][1], delivery["spans"]["span"][0])
        self.assertAlmostEqual(delivery["spans"]["gap"][0], end, delta=3)
        self.assertAlmostEqual(delivery["spans"]["gap"][1], delivery["spans"]["span"][0], delta=3)
        self.assertRegex(delivery["label"], r"waited \d.* after the commit")

    def test_an_encodable_message_is_shown_as_json_that_folds(self):
        self.begin()
        self.subject.tell("post bank 5")
        self.expand()
        self.browser.click("#flow-tree li[data-kind=command] > .row")
        self.browser.wait(lambda: self.browser.find_all("#message .json"), "the payload is JSON")
        members = "return [...document.querySelectorAll('#message .json > ul > li')].map((item) => item.innerText.split('\\n')[0])"
        self.assertEqual(self.browser.script(members), ['account: "bank"', "amount: 5", "labels: [2]"])
        self.assertIn('1: "<b>checked</b>"', self.browser.find("#message .json details").text)
        self.browser.click("#message .json summary")
        self.assertNotIn("checked", self.browser.find("#message .json details").text)

    def test_json_keeps_its_numbers_and_other_text_stays_as_it_is(self):
        self.begin()

        def shown(text):
            script = "const done = arguments[1]; import('./json.js').then(({ json }) => done(json(arguments[0]).textContent ?? json(arguments[0])))"
            return self.browser.driver.execute_async_script(script, text)

        self.assertEqual(shown('{"a": 12345678901234567890.10, "b": [], "c": "\\u00e4"}'), 'a: 12345678901234567890.10b: []c: "\\u00e4"')
        for text in ('{"cut": "of…', "[1,]", '{"a" 1}', "[1] 2", "plain", "Deposit(amount: 5)", "[" * 5_000, "[.first]"):
            self.assertEqual(shown(text), text)


class Traffic(InspectorCase):
    def traffic(self, count):
        """Begins to post transactions. When the test ends, the last of them has been posted."""
        self.subject.tell(f"traffic {RATE} {count}")

    def rows(self):
        return self.browser.script("return document.querySelectorAll('#flow-tree > li').length")

    def held(self):
        """Returns the number of chains that wait for their insertion."""
        words = self.browser.script("const pill = document.getElementById('flow-new'); return pill.hidden ? '0' : pill.textContent")
        return int(words.split()[0])

    def wait_held(self, count):
        self.browser.wait(lambda: self.held() >= count, f"{count} chains wait")

    def aim(self, place):
        """Moves the pointer over the row at an index, and returns its number and the position."""
        number, x, y = self.browser.script(
            """const item = document.getElementById('flow-tree').children[arguments[0]];
               const box = item.firstElementChild.getBoundingClientRect();
               return [item.dataset.number, box.x + box.width / 3, box.y + box.height / 2]""",
            place,
        )
        self.browser.point(x, y)
        aimed = "return document.elementFromPoint(arguments[0], arguments[1])?.closest('#flow-tree > li')?.dataset.number"
        return self.browser.script(aimed, x, y) or number, x, y

    def test_a_hundred_messages_each_second_use_little_of_the_main_thread(self):
        self.begin()
        self.traffic(RATE * 2)
        self.subject.tell("traffic end")
        self.browser.wait(lambda: self.rows() == RATE * 2, "the chains are shown")

        used, began = self.browser.thread_time(), time.monotonic()
        self.traffic(RATE * 5)
        self.subject.tell("traffic end")
        share = (self.browser.thread_time() - used) / (time.monotonic() - began)

        print(f"main thread: {share:.1%} ", end="", flush=True)
        self.assertLess(share, 0.25)
        self.browser.wait(lambda: f"{11 * RATE * 7} messages" in self.browser.text("#flow-hint"), "all messages have come")

    def test_ten_of_ten_clicks_hit_their_row(self):
        self.begin()
        self.traffic(RATE * 60)
        self.browser.wait(lambda: self.rows() >= 12, "there are rows")
        hits = 0
        for place in range(10):
            number, x, y = self.aim(place)
            self.wait_held(self.held() + 3)
            self.browser.press(x, y)
            selected = "return document.querySelector('#flow-tree [aria-selected=true]')?.dataset.number"
            hits += self.browser.script(selected) == number
            self.browser.press(x, y)
            self.browser.wait(lambda: not self.browser.script(selected), "the row isn't selected any longer")
            # The second click has left the row expanded.
            self.browser.script("document.querySelector('#flow-tree [aria-expanded=true] .twist').click(); document.activeElement.blur()")
            self.browser.point(2, 2)
            self.browser.wait(lambda: self.held() == 0, "the chains are inserted")
        self.assertEqual(hits, 10)

    def test_insertion_stops_while_the_pointer_is_in_the_list_and_the_pill_shows_the_new_chains(self):
        self.begin()
        self.subject.tell("post first 1")
        self.browser.wait(lambda: self.rows() == 1, "the first chain")
        number, _, _ = self.aim(0)
        for account in ("second", "third"):
            self.subject.tell(f"post {account} 1")
        self.wait_held(2)
        self.assertEqual((self.rows(), self.browser.text("#flow-new").strip()), (1, "2 new chains, show them ▲"))

        self.browser.script(
            """window.highlighted = 0;
               const count = (records) => { for (const { addedNodes } of records) for (const one of addedNodes) highlighted += one.matches('.new'); };
               new MutationObserver(count).observe(document.getElementById('flow-tree'), { childList: true });"""
        )
        self.browser.click("#flow-new")

        self.browser.wait(lambda: self.rows() == 3, "the new chains")
        self.assertEqual((self.held(), self.browser.find_all("#flow-tree > li")[2].get_attribute("data-number")), (0, number))
        self.assertEqual(self.browser.script("return highlighted"), 2)
        self.browser.wait(lambda: not self.browser.find_all("#flow-tree > .new"), "the highlight ends")

    def test_insertion_stops_while_a_row_is_selected_or_has_the_focus(self):
        self.begin()
        self.subject.tell("post first 1")
        self.browser.wait(lambda: self.rows() == 1, "the first chain")
        self.browser.script("document.querySelector('#flow-tree > li').focus()")
        self.subject.tell("post second 1")
        self.wait_held(1)
        self.press("Enter")
        self.browser.script("document.activeElement.blur()")
        self.subject.tell("post third 1")
        self.wait_held(2)
        self.assertEqual(self.rows(), 1)
        self.browser.click("#message-close")
        self.browser.script("document.activeElement.blur()")
        self.browser.wait(lambda: (self.rows(), self.held()) == (3, 0), "the chains are inserted")

    def test_insertion_stops_while_the_list_is_scrolled(self):
        self.begin()
        self.traffic(RATE * 4)
        self.subject.tell("traffic end")
        self.browser.wait(lambda: self.rows() == RATE * 4, "the chains are shown")
        self.browser.script("window.scrollTo(0, 800)")
        top = "return document.querySelectorAll('#flow-tree > li')[25].getBoundingClientRect().top"
        before = self.browser.script(top)
        self.subject.tell("post one 1")
        self.wait_held(1)
        self.assertEqual(self.browser.script(top), before)

        self.browser.script("document.getElementById('flow-new').focus()")
        self.browser.type("#flow-new", Keys.ENTER)

        self.browser.wait(lambda: self.rows() == RATE * 4 + 1, "the new chain")
        self.assertEqual(self.browser.of_focused("aria-level"), "1")
        self.assertLess(self.browser.script("return window.scrollY"), 300)

    def test_more_chains_come_into_the_document_as_the_reader_scrolls(self):
        self.begin()
        self.subject.tell("traffic 1000 150")
        self.subject.tell("traffic end")
        self.browser.wait(lambda: "in 150 chains" in self.browser.text("#flow-hint"), "all chains have come")
        self.assertLess(self.rows(), 100)

        def end():
            self.browser.script("window.scrollTo(0, document.documentElement.scrollHeight)")
            return self.rows() == 150

        self.browser.wait(end, "all chains")
        self.assertFalse(self.browser.find("#flow-more").is_displayed())


if __name__ == "__main__":
    unittest.main()
