// SPDX-License-Identifier: Apache-2.0

import HeadraceTesting
import Testing

@testable import HeadraceCore

@Suite struct OwnedLockTests {
    private final class Owner {}

    private enum Outcome: Equatable { case held, waiting, deadlock }

    private let owners = (0..<4).map { _ in Owner() }
    private let lock = OwnedLock<String>()

    private func id(_ owner: Int) -> ObjectIdentifier { ObjectIdentifier(owners[owner]) }

    private func request(
        _ key: String, _ owner: Int, within outer: [Int] = []
    ) -> (outcome: Outcome, waiter: Waiter<Void>?) {
        do {
            let waiter = try lock.request(key, for: id(owner), within: outer.map { id($0) })
            return (waiter == nil ? .held : .waiting, waiter)
        } catch {
            return (.deadlock, nil)
        }
    }

    private func cancel(_ waiter: Waiter<Void>?) {
        #expect(waiter?.end(with: .failure(CancellationError())) != nil)
    }

    @Test func aKeyGoesToItsWaitersInOrderAndAnOwnerCanAcquireItAgain() {
        #expect(request("a", 0).outcome == .held)
        #expect(request("a", 0).outcome == .held)
        let (first, second, cancelled) = (request("a", 1), request("a", 2), request("a", 3))
        // Another task of the second owner.
        let again = request("a", 1)
        let all = [first, again, second]
        #expect(all.allSatisfy { $0.outcome == .waiting })
        cancel(cancelled.waiter)

        for (owner, endedCount) in [(3, 0), (0, 2), (1, 3), (2, 3)] {
            #expect(lock.heldCount == 1)
            lock.release(["a"], of: id(owner))
            #expect(all.map { $0.waiter?.result != nil } == all.indices.map { $0 < endedCount })
        }
        #expect(lock.heldCount == 0)
    }

    @Test func aCircleOfOwnersIsADeadlock() {
        for number in 0..<3 { #expect(request("\(number)", number).outcome == .held) }
        #expect(request("1", 0).outcome == .waiting)
        let middle = request("2", 1)

        #expect(request("0", 2).outcome == .deadlock)

        // A waiter that is cancelled opens the circle.
        cancel(middle.waiter)
        #expect(request("0", 2).outcome == .waiting)
    }

    @Test func aWaiterInTheQueueIsPartOfACircle() {
        #expect(request("a", 0).outcome == .held)
        #expect(request("b", 1).outcome == .held)
        #expect(request("a", 2).outcome == .waiting)
        #expect(request("b", 2).outcome == .waiting)

        // The owner would wait behind one that waits for it.
        #expect(request("a", 1).outcome == .deadlock)
    }

    @Test func anOwnerThatEnclosesAnotherWaitsForIt() {
        #expect(request("a", 0).outcome == .held)
        #expect(request("b", 1).outcome == .held)

        #expect(request("a", 2, within: [3, 0]).outcome == .deadlock)
        #expect(request("b", 2, within: [0]).outcome == .waiting)
        #expect(request("a", 1).outcome == .deadlock)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func aRandomHistoryNeverLeavesACircle(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var waiting: [Int: (key: String, waiter: Waiter<Void>)] = [:]
        var held: [String: Int] = [:]
        for _ in 0..<2_000 {
            let key = ["a", "b", "c"][Int.random(in: 0..<3, using: &generator)]
            let owner = Int.random(in: 0..<4, using: &generator)
            if waiting[owner] == nil, held[key] == nil || Bool.random(using: &generator) {
                let (outcome, waiter) = request(key, owner)
                switch outcome {
                case .held:
                    #expect(held[key] == nil || held[key] == owner)
                    held[key] = owner
                case .waiting: waiting[owner] = (key, try #require(waiter))
                case .deadlock: #expect(held[key] != nil)
                }
            } else if let wait = waiting[owner], Int.random(in: 0..<4, using: &generator) == 0 {
                cancel(wait.waiter)
                waiting[owner] = nil
            } else if waiting[owner] == nil {
                for key in held.keys where held[key] == owner {
                    lock.release([key], of: id(owner))
                    held[key] = nil
                    for (other, wait) in waiting where wait.waiter.result != nil {
                        #expect(wait.key == key)
                        held[key] = other
                        waiting[other] = nil
                    }
                }
            }
            // An owner that doesn't wait can release its keys, so the others go on.
            #expect(waiting.count < owners.count)
            #expect(lock.heldCount == held.count)
        }
    }
}
