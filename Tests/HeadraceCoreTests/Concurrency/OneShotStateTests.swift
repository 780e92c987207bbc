// SPDX-License-Identifier: Apache-2.0

import HeadraceTesting
import Testing

@testable import HeadraceCore

@Suite struct OneShotStateTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func aRandomHistoryReturnsTheFirstValueAndEachWaiterOnce(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var state = OneShotState<Int, WaiterID>()
        var value: Int?
        var waiters: [WaiterID] = []

        for step in 0..<300 {
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<60:
                let id = state.makeWaiterID()
                #expect(state.value(orEnqueue: id, id: id) == value)
                if value == nil { waiters.append(id) }
            case 60..<98:
                let id = try #require((0...state.makeWaiterID()).randomElement(using: &generator))
                let index = waiters.firstIndex(of: id)
                #expect(state.removeWaiter(id) == index.map { _ in id })
                if let index { waiters.remove(at: index) }
            default:
                #expect(state.set(step) == (value == nil ? waiters : nil))
                value = value ?? step
                waiters = []
            }
            #expect(state.value == value)
            #expect(state.waiterCount == waiters.count)
        }
    }
}
