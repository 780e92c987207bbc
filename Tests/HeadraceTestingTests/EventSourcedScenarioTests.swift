// SPDX-License-Identifier: Apache-2.0

import HeadraceDomain
import Synchronization
import Testing

@testable import HeadraceTesting

@Suite struct EventSourcedScenarioTests {
    @Test func aScenarioWithTheRightEventsReportsNothing() {
        let issues = issues {
            EventSourcedScenario(Gauge.self, id: "a")
                .given(Raised(by: 2), Raised(by: 3))
                .when { $0.raise(4) }
                .then(Raised(by: 4))
                .then { #expect($0.level == 9) }
                .when { _ in }
                .then()
                .when { _ in throw TooHigh() }
                .thenThrows(TooHigh.self)
        }

        #expect(issues.isEmpty, "\(issues)")
    }

    @Test func otherEventsAreReported() {
        #expect(
            issues { EventSourcedScenario(Gauge.self, id: "a").when { $0.raise(4) }.then(Raised(by: 5)) }.count == 1)
        #expect(issues { EventSourcedScenario(Gauge.self, id: "a").when { $0.raise(4) }.then() }.count == 1)
        #expect(issues { EventSourcedScenario(Gauge.self, id: "a").when { _ in }.then(Raised(by: 5)) }.count == 1)
    }

    @Test func errorsAreReported() {
        let thrown = issues { EventSourcedScenario(Gauge.self, id: "a").when { _ in throw TooHigh() }.then() }
        let missing = issues { EventSourcedScenario(Gauge.self, id: "a").when { _ in }.thenThrows(TooHigh.self) }

        #expect(thrown.count == 1)
        #expect(missing.count == 1)
    }

    @Test func aStateThatIsNotTheFoldOfTheEventsIsReported() {
        let changed = issues { EventSourcedScenario(Gauge.self, id: "a").when { $0.level = 7 }.then() }
        let random = issues {
            EventSourcedScenario(Gauge.self, id: "a").when { $0.raiseEvent(Shaken()) }.then(Shaken())
        }

        #expect(changed.count == 1)
        #expect(changed.first?.contains("is not the fold of the events") == true)
        #expect(random.count == 1)
    }

    @Test func anErrorThatNoStepExaminesIsReportedOnce() {
        func scenario() -> EventSourcedScenario<Gauge> { EventSourcedScenario(Gauge.self, id: "a") }
        func fail(_ gauge: Gauge) throws { throw TooHigh() }

        let reports = [
            issues { scenario().when(fail).then { _ in } },
            issues { scenario().when(fail).then { _ in }.then { _ in } },
            issues { scenario().when(fail).when { _ in }.then() },
            issues { _ = scenario().when(fail) },
            issues { scenario().when(fail).then() },
            issues { scenario().when { _ in }.when(fail).then { _ in } },
        ]

        for report in reports {
            #expect(report.count == 1)
            #expect(report.first?.contains("TooHigh") == true)
        }
    }

    @Test func anUnexaminedErrorIsReportedAtTheCallOfTheMethod() {
        var line: UInt = 0
        let locations = Locations()
        IssueSink.$current.withValue(IssueSink { _, location in locations.lines.withLock { $0.append(location.line) } })
        {
            line = #line + 1
            _ = EventSourcedScenario(Gauge.self, id: "a").when { _ in throw TooHigh() }
        }

        #expect(locations.lines.withLock { $0 } == [line])
    }

    @Test func anErrorThatWasExaminedIsNotReportedByLaterSteps() {
        let issues = issues {
            EventSourcedScenario(Gauge.self, id: "a")
                .when { gauge in
                    gauge.raise(1)
                    throw TooHigh()
                }
                .thenThrows(TooHigh.self)
                .then(Raised(by: 1))
                .then { #expect($0.level == 1) }
                .when { $0.raise(2) }
                .then(Raised(by: 2))
        }

        #expect(issues.isEmpty, "\(issues)")
    }

    @Test func aGivenEventWithoutAnEffectIsReported() {
        let issues = issues {
            EventSourcedScenario(Gauge.self, id: "a").given(Raised(by: 1), Ignored()).when { _ in }.then()
        }

        #expect(issues.count == 1)
        #expect(issues.first?.contains("'Ignored'") == true)
    }

    @Test func membersThatAreNotEncodedAreLostAfterEachStep() {
        let afterGiven = issues {
            EventSourcedScenario(Gauge.self, id: "a")
                .given(Peaked(at: 9))
                .when { #expect($0.peak == 0) }
                .then()
        }
        let afterWhen = issues {
            EventSourcedScenario(Gauge.self, id: "a")
                .when { gauge in
                    gauge.raiseEvent(Peaked(at: 9))
                    #expect(gauge.peak == 9)
                }
                .then { #expect($0.peak == 0) }
        }
        let inAnEffect = issues {
            EventSourcedScenario(Gauge.self, id: "a")
                .given(Peaked(at: 9))
                .when { $0.raiseEvent(Reset()) }
                .then(Reset())
        }
        let ofAnEvent = issues {
            EventSourcedScenario(Gauge.self, id: "a").when { $0.raiseEvent(Raised(by: 1, unit: 3)) }.then(Raised(by: 1))
        }

        #expect(afterGiven.isEmpty, "\(afterGiven)")
        #expect(afterWhen.isEmpty, "\(afterWhen)")
        for issues in [inAnEffect, ofAnEvent] {
            #expect(issues.count == 1)
            #expect(issues.first?.contains("encoded members") == true)
        }
    }

    private func issues<Result>(_ body: () -> Result) -> [String] {
        let messages = Messages()
        _ = IssueSink.$current.withValue(IssueSink { message, _ in messages.all.withLock { $0.append(message) } }) {
            body()
        }
        return messages.all.withLock { $0 }
    }
}

private final class Messages: Sendable {
    let all = Mutex<[String]>([])
}

private final class Locations: Sendable {
    let lines = Mutex<[UInt]>([])
}

private struct TooHigh: Error {}

private struct Raised: DurableDomainEvent {
    private enum CodingKeys: CodingKey { case by }

    static let eventName = "raised"
    var by: Int
    var unit = 1
}

private struct Peaked: DurableDomainEvent {
    static let eventName = "peaked"
    var at: Int
}

private struct Reset: DurableDomainEvent { static let eventName = "reset" }

private struct Ignored: DurableDomainEvent { static let eventName = "ignored" }

private struct Shaken: DurableDomainEvent { static let eventName = "shaken" }

private final class Gauge: EventSourcedEntity {
    static let entityName = "gauge"
    static let shakes = Atomic(0)
    static var appliedEvents: [AppliedEvent<Gauge>] {
        [
            .on(Raised.self) { gauge, event in gauge.level += event.by * event.unit },
            .on(Peaked.self) { gauge, event in gauge.peak = event.at },
            .on(Reset.self) { gauge, _ in gauge.level = gauge.peak },
            .on(Shaken.self) { gauge, _ in gauge.level = shakes.add(1, ordering: .relaxed).newValue },
        ]
    }

    private enum CodingKeys: CodingKey { case id, level }

    let id: String
    var level = 0
    var peak = 0
    var raisedEvents = RaisedEvents()

    init(id: String) { self.id = id }

    func raise(_ amount: Int) { raiseEvent(Raised(by: amount)) }
}
