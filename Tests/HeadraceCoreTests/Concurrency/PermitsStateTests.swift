// SPDX-License-Identifier: Apache-2.0

import HeadraceTesting
import Testing

@testable import HeadraceCore

@Suite struct PermitsStateTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func aRandomHistoryHandsOutNoMorePermitsThanThereAreAndInOrderOfArrival(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: 0...3, using: &generator)
        var state = PermitsState<WaiterID>(count: count)
        var usedCount = 0
        var waiters: [WaiterID] = []

        for _ in 0..<2_000 {
            let isFree = usedCount < count
            switch Int.random(in: 0..<10, using: &generator) {
            case 0:
                #expect(state.tryAcquire() == isFree)
                if isFree { usedCount += 1 }
            case 1..<5:
                let id = state.makeWaiterID()
                #expect(state.acquire(orEnqueue: id, id: id) == isFree)
                if isFree { usedCount += 1 } else { waiters.append(id) }
            case 5..<7:
                let id = try #require((0...state.makeWaiterID()).randomElement(using: &generator))
                let index = waiters.firstIndex(of: id)
                #expect(state.removeWaiter(id) == index.map { _ in id })
                if let index { waiters.remove(at: index) }
            default:
                if usedCount == 0 { continue }
                let next = waiters.isEmpty ? nil : waiters.removeFirst()
                #expect(state.release() == next)
                if next == nil { usedCount -= 1 }
            }
            #expect(state.availableCount == count - usedCount)
            #expect(state.waiterCount == waiters.count)
        }
    }
}
