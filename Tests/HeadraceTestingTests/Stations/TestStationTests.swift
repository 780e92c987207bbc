// SPDX-License-Identifier: Apache-2.0

import HeadraceStations
import HeadraceTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct TestStationTests {
    @Test func aTestAssertsChangesAndReceivedActions() async {
        let station = TestStation(initialState: Search.State()) { Search() }

        await station.pour(.typed("a")) {
            $0.text = "a"
            $0.isSearching = true
        }
        await station.advance(by: .milliseconds(299))
        await station.pour(.typed("ab")) { $0.text = "ab" }
        await station.advance(by: .milliseconds(300))
        await station.receive(.found(["ab1", "ab2"])) {
            $0.results = ["ab1", "ab2"]
            $0.isSearching = false
        }
        await station.pour(.cleared) {
            $0.text = ""
            $0.results = []
        }
        await station.finish()
    }

    @Test func aTimerFiresAtEachDeadlineOfALongAdvance() async {
        let station = TestStation(initialState: Steps.State()) { Steps() }

        await station.pour(.addEverySecond)
        await station.advance(by: .milliseconds(3_500))
        for count in 1...3 { await station.receive(.add(1)) { $0.count = count } }
        await station.pour(.stop)
        await station.advance(by: .seconds(100))
        await station.finish()
    }

    @Test func sentAndPouredActionsArriveInOrder() async {
        let station = TestStation(initialState: Steps.State()) { Steps() }

        await station.pour(.addTwice(2))
        await station.receive(.add(2)) { $0.count = 2 }
        await station.receive(where: { $0 == .add(2) }) { $0.count += 2 }
        await station.finish()
        #expect(await station.read(\.count) == 4)
    }

    @Test func aWrongExpectationReportsTheActionAndTheDifference() async {
        let station = TestStation(initialState: Search.State()) { Search() }

        await withKnownIssue {
            await station.pour(.typed("a")) { $0.text = "b" }
        } matching: { issue in
            let text = issue.description
            return text.contains("typed(\"a\")") && text.contains("text: \"b\"") && text.contains("text: \"a\"")
                && text.contains("isSearching: true") && issue.sourceLocation?.fileName == "TestStationTests.swift"
        }
        // The test continues with the actual state.
        await station.pour(.cleared) {
            $0.text = ""
            $0.isSearching = false
        }
        await station.finish()
    }

    @Test func anUnexpectedChangeFails() async {
        let station = TestStation(initialState: Steps.State()) { Steps() }

        await withKnownIssue {
            await station.pour(.add(1))
        } matching: { issue in
            issue.description.contains("count: 1")
        }
        await station.pour(.add(1)) { $0.count = 2 }
        await station.finish()
    }

    @Test func aMissingActionFailsAtOnce() async {
        let station = TestStation(initialState: Search.State()) { Search() }
        await station.pour(.typed("a")) {
            $0.text = "a"
            $0.isSearching = true
        }

        await withKnownIssue {
            await station.receive(.found([]))
        } matching: { issue in
            issue.description.contains("no effect sent it. 1 effects are running")
                && issue.description.contains("0.3 seconds")
        }
        await station.pour(.cleared) {
            $0.text = ""
            $0.isSearching = false
        }
        await station.finish()
    }

    @Test func anUnexpectedActionFails() async {
        let station = TestStation(initialState: Steps.State()) { Steps() }
        await station.pour(.addTwice(1))

        await withKnownIssue {
            await station.receive(.add(7)) { $0.count = 1 }
        } matching: { issue in
            issue.description.contains("'add(7)'") && issue.description.contains("'add(1)'")
        }
        await station.receive(.add(1)) { $0.count = 2 }
        await station.finish()
    }

    @Test func anUnassertedActionFailsTheNextPourAndTheEnd() async {
        let station = TestStation(initialState: Steps.State()) { Steps() }
        await station.pour(.addTwice(1))

        await withKnownIssue {
            await station.pour(.stop)
        } matching: { issue in
            issue.description.contains("2 received actions were not asserted")
        }
        await station.pour(.addTwice(1))
        await withKnownIssue {
            await station.finish()
        } matching: { issue in
            issue.description.contains("2 received actions were not asserted")
        }
    }

    @Test func aRunningEffectFailsTheEnd() async {
        let station = TestStation(initialState: Steps.State()) { Steps() }
        await station.pour(.addEverySecond)

        await withKnownIssue {
            await station.finish()
        } matching: { issue in
            issue.description.contains("1 effects are still running")
        }
    }

    @Test func aTestWithoutFinishFails() async {
        await withKnownIssue {
            let station = TestStation(initialState: Steps.State()) { Steps() }
            await station.pour(.stop)
        } matching: { issue in
            issue.description.contains("station.finish()")
        }
    }

    @Test func aFailingEffectFailsTheTest() async throws {
        let station = TestStation(initialState: Steps.State()) { Steps() }

        await withKnownIssue {
            await station.pour(.fail)
        } matching: { issue in
            issue.description.contains("'fail' failed") && issue.description.contains("Broken")
        }
        await station.finish()
    }

    @Test func withoutExhaustivityOnlyNamedPropertiesAreCompared() async {
        let station = TestStation(initialState: Search.State(), exhaustivity: .off) { Search() }

        await station.pour(.typed("a"))
        await station.pour(.typed("ab")) { $0.text = "ab" }
        await station.advance(by: .seconds(1))
        await station.receive(.found(["ab1", "ab2"])) { $0.results = ["ab1", "ab2"] }
        await withKnownIssue {
            await station.pour(.cleared) { $0.text = "not this" }
        } matching: { issue in
            issue.description.contains("not this")
        }
        await station.pour(.typed("b"))
        await station.finish()
    }

    @Test func skippedActionsCountAsAsserted() async {
        let station = TestStation(initialState: Steps.State()) { Steps() }

        await station.pour(.addTwice(1))
        await station.skipReceivedActions()
        await station.pour(.add(1)) { $0.count = 3 }
        await station.finish()
    }

    @Test func aThousandConcurrentRunsBehaveTheSame() async {
        await withTaskGroup { group in
            for _ in 0..<1_000 {
                group.addTask {
                    let station = TestStation(initialState: Search.State()) { Search() }
                    await station.pour(.typed("x")) {
                        $0.text = "x"
                        $0.isSearching = true
                    }
                    await station.advance(by: .milliseconds(300))
                    await station.receive(.found(["x1", "x2"])) {
                        $0.results = ["x1", "x2"]
                        $0.isSearching = false
                    }
                    await station.finish()
                }
            }
        }
    }
}
