// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceTesting
import Testing

@testable import HeadraceStations

/// The connection of a property with a shared value.
@Suite struct SharedLinkTests {
    private let clock = TestClock()
    private let shared = SharedState(10)

    /// Another station stores 150, and this one changes it to 100.
    private func answers(_ link: SharedLink<Int>) -> Bool {
        shared.update { $0 = 150 }
        let value = link.takeIncoming()
        return link.write(100, insteadOf: 100, brought: value)
    }

    @Test func twoStationsThatChangeTheValuesOfEachOtherStop() {
        SystemValues.withCurrent(.test(clock: clock)) {
            let link = SharedLink(shared, known: 100)

            for _ in 0..<100 { #expect(answers(link)) }
            #expect(!answers(link))
            #expect(shared.value == 150)
        }
    }

    @Test func aChangeByTheStationOrAPauseAllowsFurtherAnswers() {
        SystemValues.withCurrent(.test(clock: clock)) {
            let link = SharedLink(shared, known: 100)
            for _ in 0..<100 { #expect(answers(link)) }
            #expect(link.write(90, insteadOf: 100, brought: nil))
            for _ in 0..<100 { #expect(answers(link)) }
            #expect(!answers(link))

            clock.advance(by: .seconds(1))

            #expect(answers(link))
        }
    }
}
