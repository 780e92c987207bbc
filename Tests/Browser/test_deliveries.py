"""Tests of the deliveries on the inspector's page with the program InspectorSubject."""

import unittest

from test_inspector import InspectorCase


class Deliveries(InspectorCase):
    def test_a_dead_letter_is_replayed(self):
        self.begin()
        self.subject.tell("post bank 13")
        self.show("deliveries")
        self.browser.wait(lambda: self.browser.find_all("details.letter"), "the dead letter is there")
        self.browser.find("details.letter summary").click()
        self.assertIn("the line is broken <b>at 13</b>", self.browser.text("details.letter"))

        self.subject.tell("repair")
        self.browser.find("details.letter [data-verb=replay]").click()

        self.browser.wait(
            lambda: "1 dead letter will be delivered again." in self.browser.text("#pane-deliveries"), "the replay is confirmed"
        )
        self.browser.wait(lambda: not self.browser.find_all("details.letter"), "the dead letter is gone")
        self.browser.wait(lambda: "delivered" in self.browser.text("#pane-deliveries"), "it was delivered")
        self.assertEqual(self.browser.errors(), [])

    def edit(self, content):
        """Opens the editor of the dead letter, and replaces the content."""
        self.browser.find("details.letter [data-verb=edit]").click()
        self.browser.wait(lambda: self.browser.find_all(".editor textarea"), "the editor is open")
        self.browser.script("document.querySelector('.editor textarea').value = arguments[0]", content)

    def test_the_content_of_a_dead_letter_is_corrected(self):
        self.begin()
        self.subject.tell("post bank 13")
        self.show("deliveries")
        self.browser.wait(lambda: self.browser.find_all("details.letter"), "the dead letter is there")
        self.browser.find("details.letter summary").click()
        self.edit("{")
        focus = "return document.activeElement === document.querySelector('.editor textarea')"
        self.assertTrue(self.browser.script(focus))
        self.browser.find("[data-verb=correct]").click()
        self.browser.wait(lambda: "isn't valid JSON" in self.browser.text(".editor [role=alert]"), "the error is shown")

        # The editor stays while other deliveries change the pane.
        text = '{"account": "bank", "amount": 7}'
        self.browser.script("document.querySelector('.editor textarea').value = arguments[0]", text)
        self.subject.tell("post bank 6")
        self.browser.wait(lambda: "delivered" in self.browser.text("#pane-deliveries"), "another delivery is shown")
        self.assertEqual(self.browser.script("return document.querySelector('.editor textarea').value"), text)
        self.browser.find("[data-verb=correct]").click()

        self.browser.wait(lambda: not self.browser.find_all("details.letter"), "the dead letter is gone")
        self.assertIn("with the corrected content", self.browser.text("#deliveries-message"))
        self.show("log")
        self.browser.wait(lambda: "headrace.operation by inspector" in self.browser.text("#pane-log"), "the operation is in the log")
        self.assertIn('"name":"correct dead letter"', self.browser.text("#pane-log"))
        # The browser logs the refused request.
        self.assertEqual([one for one in self.browser.errors() if "409" not in str(one)], [])

    def test_an_editor_closes_with_a_message_if_the_dead_letter_is_gone(self):
        self.begin()
        self.subject.tell("post bank 13")
        self.show("deliveries")
        self.browser.wait(lambda: self.browser.find_all("details.letter"), "the dead letter is there")
        self.browser.find("details.letter summary").click()
        self.edit("{}")
        self.subject.tell("repair")
        # Another operator replays it.
        self.browser.script(
            "return fetch('api/dead-letters/replay', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: arguments[0]})"
            ".then((answer) => answer.status)",
            '{"ids": [1]}',
        )
        self.browser.wait(lambda: not self.browser.find_all("details.letter"), "the dead letter is gone")
        self.browser.wait(
            lambda: "doesn't exist any longer" in self.browser.text("#deliveries-message"), "the page says that it is gone"
        )
        self.assertEqual(self.browser.find_all(".editor"), [])

    def test_a_hidden_content_cannot_be_edited(self):
        self.begin("--redact")
        self.subject.tell("post s3cret 13")
        self.show("deliveries")
        self.browser.wait(lambda: self.browser.find_all("details.letter"), "the dead letter is there")
        self.browser.find("details.letter summary").click()
        self.assertFalse(self.browser.find("details.letter [data-verb=edit]").is_enabled())
        self.assertIn("To show it", self.browser.text("details.letter"))

    def pending(self):
        """Returns the summaries of the pending deliveries."""
        return [one.text for one in self.browser.find_all("details.pending summary")]

    def test_a_delivery_that_waits_for_its_next_attempt_is_retried(self):
        self.begin("--retry")
        self.subject.tell("post bank 13")
        self.show("deliveries")
        self.browser.wait(lambda: self.pending(), "the delivery is there")
        self.assertIn("transaction-posted to webhooks: retrying, 1 attempt, next attempt", self.pending()[0])
        self.browser.find("details.pending summary").click()
        self.assertIn("the line is broken <b>at 13</b>", self.browser.text("details.pending"))

        self.subject.tell("repair")
        self.browser.find("details.pending [data-verb=retry]").click()

        self.browser.wait(
            lambda: "1 delivery will be retried now." in self.browser.text("#deliveries-message"), "the retry is confirmed"
        )
        self.browser.wait(lambda: not self.pending(), "the delivery is completed")
        self.show("log")
        self.browser.wait(lambda: "headrace.operation by inspector" in self.browser.text("#pane-log"), "the operation is in the log")
        self.assertIn('"name":"retry deliveries"', self.browser.text("#pane-log"))
        self.assertEqual(self.browser.errors(), [])

    def test_a_cancelled_delivery_becomes_a_dead_letter(self):
        self.begin("--retry")
        self.subject.tell("post bank 13")
        self.show("deliveries")
        self.browser.wait(lambda: self.pending(), "the delivery is there")
        self.browser.find("details.pending summary").click()
        self.browser.find("details.pending [data-verb=cancel]").click()

        self.browser.wait(lambda: self.browser.find_all("details.letter"), "it is a dead letter")
        self.assertEqual(self.pending(), [])
        self.browser.find("details.letter summary").click()
        self.assertIn("The operator 'inspector' has cancelled the delivery.", self.browser.text("details.letter"))

    def test_a_subscription_is_paused_resumed_and_replayed(self):
        self.begin()
        self.subject.tell("post bank 5")
        self.show("deliveries")
        self.browser.wait(lambda: self.browser.find_all("[data-verb=pause]"), "the subscription is there")
        self.browser.find("[data-verb=pause]").click()
        self.browser.wait(lambda: "paused since" in self.browser.text("#pane-deliveries"), "it is paused")
        # The operation keeps the focus of the keyboard in the pane.
        self.subject.tell("post bank 6")
        self.browser.wait(lambda: len(self.pending()) == 1, "the delivery waits")
        self.assertIn("waiting", self.pending()[0])

        self.browser.find("[data-verb=resume]").click()
        self.browser.wait(lambda: not self.pending(), "it was delivered")

        replay = "button[data-verb=replay][data-key*=subscriptions]"
        self.browser.find(replay).click()
        self.browser.wait(lambda: self.browser.text(replay) == "Deliver all its events again?", "the page asks")
        self.browser.find(replay).click()
        self.browser.wait(
            lambda: "2 events will be delivered again." in self.browser.text("#deliveries-message"), "the replay is confirmed"
        )
        self.assertEqual(self.browser.errors(), [])

    def test_pending_deliveries_are_filtered_by_their_state(self):
        self.begin("--retry")
        self.subject.tell("post bank 13")
        self.show("deliveries")
        self.browser.wait(lambda: self.pending(), "the delivery is there")
        choose = "const one = document.querySelector('select[data-key$=state]'); one.value = arguments[0]; one.onchange()"
        self.browser.script(choose, "scheduled")
        self.browser.wait(lambda: "No such deliveries." in self.browser.text("#pane-deliveries"), "none is scheduled")
        self.browser.script(choose, "retrying")
        self.browser.wait(lambda: len(self.pending()) == 1, "one is retrying")

    def test_a_read_only_inspector_disables_its_buttons(self):
        self.begin("--read-only")
        self.subject.tell("post bank 13")
        self.show("deliveries")
        self.browser.wait(lambda: self.browser.find_all("details.letter"), "the dead letter is there")
        self.browser.find("details.letter summary").click()
        for verb in ("replay", "edit", "discard"):
            self.assertFalse(self.browser.find(f"details.letter [data-verb={verb}]").is_enabled())
        self.assertFalse(self.browser.find("[data-verb=pause]").is_enabled())
        self.assertEqual(self.browser.text("#status"), "live, read-only")


if __name__ == "__main__":
    unittest.main()
