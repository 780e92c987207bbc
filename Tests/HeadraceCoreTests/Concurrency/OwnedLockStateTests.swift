// SPDX-License-Identifier: Apache-2.0

import HeadraceTesting
import Testing

@testable import HeadraceCore

@Suite struct OwnedLockStateTests {
    private final class Owner {}

    private let owners = (0..<4).map { _ in Owner() }
    private var state = OwnedLockState<String, WaiterID>()

    private func id(_ owner: Int) -> ObjectIdentifier { ObjectIdentifier(owners[owner]) }

    private mutating func acquire(
        _ key: String, _ owner: Int, within outer: [Int] = []
    ) -> (outcome: OwnedLockState<String, WaiterID>.Outcome, waiter: WaiterID) {
        let waiter = state.makeWaiterID()
        let outcome = state.acquire(
            key, for: id(owner), within: outer.map { id($0) }, orEnqueue: waiter, id: waiter)
        return (outcome, waiter)
    }

    @Test mutating func aKeyGoesToItsWaitersInOrderAndAnOwnerCanAcquireItAgain() {
        #expect(acquire("a", 0).outcome == .acquired)
        #expect(acquire("a", 0).outcome == .held)
        let (first, second, cancelled) = (acquire("a", 1), acquire("a", 2), acquire("a", 3))
        #expect([first, second, cancelled].allSatisfy { $0.outcome == .enqueued })
        // Another task of the second owner.
        let again = acquire("a", 1)
        #expect(again.outcome == .enqueued)
        #expect(state.removeWaiter(cancelled.waiter, of: "a") == cancelled.waiter)
        #expect(state.removeWaiter(cancelled.waiter, of: "a") == nil)

        #expect(state.release("a", of: id(3)) == [])
        #expect(state.release("a", of: id(0)) == [first.waiter, again.waiter])
        #expect(state.release("a", of: id(1)) == [second.waiter])
        #expect(state.release("a", of: id(2)) == [])
        #expect(state.heldCount == 0)
    }

    @Test mutating func aCircleOfOwnersIsADeadlock() {
        for number in 0..<3 { #expect(acquire("\(number)", number).outcome == .acquired) }
        #expect(acquire("1", 0).outcome == .enqueued)
        let middle = acquire("2", 1)

        #expect(acquire("0", 2).outcome == .deadlock)

        // A waiter that is cancelled opens the circle.
        _ = state.removeWaiter(middle.waiter, of: "2")
        #expect(acquire("0", 2).outcome == .enqueued)
    }

    @Test mutating func aWaiterInTheQueueIsPartOfACircle() {
        #expect(acquire("a", 0).outcome == .acquired)
        #expect(acquire("b", 1).outcome == .acquired)
        #expect(acquire("a", 2).outcome == .enqueued)
        #expect(acquire("b", 2).outcome == .enqueued)

        // The owner would wait behind one that waits for it.
        #expect(acquire("a", 1).outcome == .deadlock)
    }

    @Test mutating func anOwnerThatEnclosesAnotherWaitsForIt() {
        #expect(acquire("a", 0).outcome == .acquired)
        #expect(acquire("b", 1).outcome == .acquired)

        #expect(acquire("a", 2, within: [3, 0]).outcome == .deadlock)
        #expect(acquire("b", 2, within: [0]).outcome == .enqueued)
        #expect(acquire("a", 1).outcome == .deadlock)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    mutating func aRandomHistoryNeverLeavesACircle(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var waiting: [Int: (key: String, waiter: WaiterID)] = [:]
        var held: [String: Int] = [:]
        for _ in 0..<2_000 {
            let key = ["a", "b", "c"][Int.random(in: 0..<3, using: &generator)]
            let owner = Int.random(in: 0..<4, using: &generator)
            if waiting[owner] == nil, held[key] == nil || Bool.random(using: &generator) {
                let (outcome, waiter) = acquire(key, owner)
                switch outcome {
                case .acquired: held[key] = owner
                case .held: #expect(held[key] == owner)
                case .enqueued: waiting[owner] = (key, waiter)
                case .deadlock: #expect(held[key] != nil)
                }
            } else if let wait = waiting[owner], Int.random(in: 0..<4, using: &generator) == 0 {
                #expect(state.removeWaiter(wait.waiter, of: wait.key) == wait.waiter)
                waiting[owner] = nil
            } else if waiting[owner] == nil {
                for key in held.keys where held[key] == owner {
                    let granted = state.release(key, of: id(owner))
                    held[key] = nil
                    for (other, wait) in waiting where granted.contains(wait.waiter) {
                        held[key] = other
                        waiting[other] = nil
                    }
                }
            }
            // An owner that doesn't wait can release its keys, so the others go on.
            #expect(waiting.count < owners.count)
            #expect(state.heldCount == held.count)
        }
    }
}
