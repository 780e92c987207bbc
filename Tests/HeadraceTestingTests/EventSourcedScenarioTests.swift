//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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

private struct TooHigh: Error {}

private struct Raised: DurableDomainEvent {
    static let eventName = "raised"
    var by: Int
}

private struct Shaken: DurableDomainEvent { static let eventName = "shaken" }

private final class Gauge: EventSourcedEntity {
    static let entityName = "gauge"
    static let shakes = Atomic(0)
    static var appliedEvents: [AppliedEvent<Gauge>] {
        [
            .on(Raised.self) { gauge, event in gauge.level += event.by },
            .on(Shaken.self) { gauge, _ in gauge.level = shakes.add(1, ordering: .relaxed).newValue },
        ]
    }

    let id: String
    var level = 0
    var raisedEvents = RaisedEvents()

    init(id: String) { self.id = id }

    func raise(_ amount: Int) { raiseEvent(Raised(by: amount)) }
}
