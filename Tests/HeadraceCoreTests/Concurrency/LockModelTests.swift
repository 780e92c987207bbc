// SPDX-License-Identifier: Apache-2.0

import HeadraceTesting
import Testing

@testable import HeadraceCore

/// Tests the locks against a model: requests, cancellations, and releases in a random order, without tasks.
@Suite struct LockModelTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func aRandomHistoryOfKeysHasTheSameHoldersAsOneArrayForEachKey(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let lock = KeyedLock<String>()
        /// The waiters of each held key in order of arrival.
        var model: [String: [Waiter<Void>]] = [:]

        for _ in 0..<2_000 {
            let key = try #require(["a", "b", "c"].randomElement(using: &generator))
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5:
                let waiter = lock.request(key)
                #expect((waiter == nil) == (model[key] == nil))
                model[key, default: []] += [waiter].compactMap { $0 }
            case 5..<7:
                guard let index = model[key]?.indices.randomElement(using: &generator) else { continue }
                #expect(model[key]?.remove(at: index).end(with: .failure(CancellationError())) != nil)
            default:
                guard let waiters = model[key] else { continue }
                lock.release(key)
                #expect(waiters.first.map { $0.result != nil } ?? true)
                model[key] = waiters.isEmpty ? nil : Array(waiters.dropFirst())
            }
            #expect(lock.heldCount == model.count)
            #expect(model.values.joined().allSatisfy { $0.result == nil })
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func aRandomHistoryHandsOutNoMorePermitsThanThereAreAndInOrderOfArrival(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 0...3, using: &generator)
        let permits = Permits(count)
        var usedCount = 0
        var waiters: [Waiter<Void>] = []

        for _ in 0..<2_000 {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<5:
                let waiter = permits.request()
                #expect((waiter == nil) == (usedCount < count))
                if let waiter { waiters.append(waiter) } else { usedCount += 1 }
            case 5..<7:
                guard let index = waiters.indices.randomElement(using: &generator) else { continue }
                #expect(waiters.remove(at: index).end(with: .failure(CancellationError())) != nil)
            default:
                if usedCount == 0 { continue }
                permits.release()
                if waiters.isEmpty { usedCount -= 1 } else { #expect(waiters.removeFirst().result != nil) }
            }
            #expect(permits.availableCount == count - usedCount)
            #expect(waiters.allSatisfy { $0.result == nil })
        }
    }
}
