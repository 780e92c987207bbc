// SPDX-License-Identifier: Apache-2.0

import HeadraceTesting
import Testing

@testable import HeadraceCore

@Suite struct WaiterQueueTests {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func aRandomHistoryLeavesTheSameWaitersAsAnArray(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var queue = WaiterQueue<String>()
        var model: [WaiterID] = []
        var lastID: WaiterID = 0

        for _ in 0..<2_000 {
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<45:
                lastID += 1
                queue.append("\(lastID)", id: lastID)
                model.append(lastID)
            case 45..<70:
                let first = model.isEmpty ? nil : model.removeFirst()
                #expect(queue.popFirst() == first.map { "\($0)" })
            case 70..<99:
                let id = WaiterID.random(in: 0...lastID, using: &generator)
                let index = model.firstIndex(of: id)
                #expect(queue.remove(id) == index.map { _ in "\(id)" })
                if let index { model.remove(at: index) }
            default:
                #expect(queue.removeAll() == model.map { "\($0)" })
                model = []
            }
            #expect(queue.count == model.count)
        }
    }
}
