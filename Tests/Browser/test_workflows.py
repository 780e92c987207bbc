"""Tests of the workflows on the inspector's page with the program InspectorSubject."""

import unittest

from accessibility import unreachable, violations
from test_accessibility import MODES, SIZES
from test_inspector import InspectorCase


class Workflows(InspectorCase):
    def open(self, kind, *arguments):
        """Starts an instance, and opens it on the page when it waits or has ended."""
        self.begin("--workflows", *arguments)
        self.subject.tell(f"report {kind}")
        self.show("workflows")
        state = {"broken": "failed", "late": "the step 'print'"}.get(kind, "completed")
        self.browser.wait(lambda: state in (self.browser.text("#pane-workflows table") or ""), f"the instance is '{state}'")
        self.browser.click("#pane-workflows tbody button")
        self.browser.wait(lambda: self.browser.find_all(".timeline li"), "the steps are shown")

    def titles(self):
        return self.texts(".timeline .title", "textContent")

    def texts(self, selector, name):
        """Reads a property of all elements at once, because the page may replace them at any time."""
        return self.browser.script(
            "return [...document.querySelectorAll(arguments[0])].map((one) => one[arguments[1]])", selector, name
        )

    def test_a_program_without_workflows_has_no_tab_for_them(self):
        self.begin()
        self.assertFalse(self.browser.find("#tab-workflows").is_displayed())
        self.browser.click("#tab-deliveries")
        self.press("ArrowRight")
        self.assertEqual(self.browser.of_focused("id"), "tab-log")

    def test_the_steps_of_an_instance_are_shown_with_their_results(self):
        self.open("weekly")
        self.assertEqual(self.titles(), ["the step 'collect'", "the transaction 'archive'", "the step 'print'"])
        self.assertEqual(self.browser.of_focused("textContent"), "All workflows")
        self.browser.click(".timeline summary")
        self.assertIn('0: "first"1: "<i>second</i>"', self.browser.text(".timeline li"))

        self.browser.click("[data-key=back]")

        self.browser.wait(lambda: self.browser.find_all("#pane-workflows table"), "the list is shown")
        self.assertEqual(self.browser.of_focused("ariaLabel"), "Show weekly-report weekly")
        self.assertEqual(self.browser.errors(), [])

    def test_a_failed_instance_is_retried_after_a_question(self):
        self.open("broken")
        self.assertIn("the printer is broken <b>at noon</b>", self.browser.text("#pane-workflows dl.facts"))
        retry = "#pane-workflows [data-verb=retry]"
        self.browser.click(retry)
        self.browser.wait(lambda: self.browser.text(retry) == "Repeat the failed step?", "the page asks")
        self.browser.click(retry)
        self.browser.wait(lambda: self.browser.text("#workflows-message") == "The instance goes on now.", "the retry is confirmed")
        self.show("log")
        self.browser.wait(lambda: '"name":"retry workflow"' in self.browser.text("#pane-log"), "the operation is in the log")

    def test_an_instance_that_waits_is_terminated(self):
        self.open("late")
        self.browser.wait(lambda: len(self.titles()) == 4, "two steps wait")
        self.assertIn("the step 'print' waits, 1 failed", self.titles())
        terminate = "#pane-workflows [data-verb=terminate]"
        self.browser.click(terminate)
        self.browser.wait(lambda: self.browser.text(terminate) == "End it without compensation?", "the page asks")
        self.browser.click(terminate)
        self.browser.wait(lambda: not self.browser.find_all(terminate), "it has ended")
        self.assertIn("terminated", self.browser.text("#pane-workflows dl.facts"))
        self.assertEqual(self.browser.errors(), [])

    def test_instances_are_filtered_by_workflow_and_state(self):
        self.begin("--workflows")
        for kind in ("one", "broken"):
            self.subject.tell(f"report {kind}")
        self.show("workflows")
        rows = lambda: self.texts("#pane-workflows tbody button", "ariaLabel")
        self.browser.wait(lambda: len(rows()) == 2, "both are listed")
        choose = "const one = document.querySelector(arguments[0]); one.value = arguments[1]; one.onchange()"
        self.browser.script(choose, "[data-key='filter state']", "failed")
        self.browser.wait(lambda: rows() == ["Show weekly-report broken"], "one has failed")
        self.browser.script(choose, "[data-key='filter workflow']", "other")
        self.browser.wait(lambda: "No such instances." in self.browser.text("#pane-workflows"), "none is found")

    def test_a_read_only_inspector_hides_content_and_disables_its_buttons(self):
        self.open("late", "--read-only", "--redact")
        self.assertEqual(self.texts("#pane-workflows [data-verb]", "disabled"), [True, True, True])
        self.browser.click(".timeline summary")
        self.assertIn("To show it", self.browser.text(".timeline li"))
        self.assertNotIn("printer", self.browser.text("#pane-workflows"))
        self.assertNotIn("weekly-report late", self.browser.text("#pane-workflows"))

    def test_the_list_and_an_instance_are_accessible_in_both_sizes_and_schemes(self):
        self.open("late")
        self.browser.script("for (const one of document.querySelectorAll('.timeline summary')) one.click()")
        for back in (False, True):
            if back:
                self.browser.click("[data-key=back]")
                self.browser.wait(lambda: self.browser.find_all("#pane-workflows table"), "the list is shown")
            for width, height in SIZES:
                for mode in MODES:
                    self.browser.look(width, height, mode, motion="reduce")
                    with self.subTest(width=width, mode=mode, back=back):
                        self.assertEqual(violations(self.browser), [])
                        # The page may replace the elements meanwhile, as time goes on; then the keys are pressed again.
                        self.browser.wait(lambda: unreachable(self.browser) == [], "the keyboard reaches all controls")
                        self.assertLessEqual(self.wide(), 0)


if __name__ == "__main__":
    unittest.main()
