// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import Testing

@testable import HeadraceDomain
@testable import HeadraceRelay
@testable import HeadraceStorage

@Suite struct EventCascadeTests {
    private func event(_ text: String) -> CollectedEvent {
        CollectedEvent(event: Noted(text), source: nil)
    }

    @Test func eventsAreReturnedInTheOrderRaised() throws {
        var cascade = EventCascade([event("a"), event("b")])
        var given: [String] = []

        while let next = try cascade.next() {
            given += [next].texts
            if given.last == "a" { cascade.append([event("c"), event("d")]) }
            if given.last == "c" { cascade.append([event("e")]) }
        }

        #expect(given == ["a", "b", "c", "d", "e"])
        #expect(cascade.events.map(\.event).texts == given)
        #expect(try cascade.next() == nil)
    }

    @Test func aCascadeWithoutEventsEndsAtOnce() throws {
        var cascade = EventCascade([])

        #expect(try cascade.next() == nil)
    }

    @Test func theLongestChainIsHandledAndOneMoreIsAnError() throws {
        var cascade = EventCascade([event("start")])
        for _ in 1...EventCascade.longestChain {
            #expect(try cascade.next() != nil)
            cascade.append([event("link")])
        }

        let error = #expect(throws: UnitOfWorkError.self) { try cascade.next() }

        #expect(error?.code == .endlessEvents)
        #expect(error?.chain.count == EventCascade.longestChain + 1)
    }

    @Test func aChainContainsOnlyTheCausesOfItsEnd() throws {
        let link = CollectedEvent(event: Renamed(name: "link"), source: nil)
        var cascade = EventCascade([event("first")])
        _ = try cascade.next()
        cascade.append([event("leaf"), link, event("leaf")])

        let error = #expect(throws: UnitOfWorkError.self) {
            while let next = try cascade.next() {
                if next is Renamed { cascade.append([event("leaf"), link, event("leaf")]) }
            }
        }

        let links = Array(repeating: "DomainTestSupport.Renamed", count: EventCascade.longestChain - 1)
        #expect(error?.chain.dropLast() == ["DomainTestSupport.Noted"] + links)
    }
}
