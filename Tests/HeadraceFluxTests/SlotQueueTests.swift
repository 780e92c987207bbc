// SPDX-License-Identifier: Apache-2.0

import HeadraceTesting
import Testing

@testable import HeadraceFlux

/// The array of waiting actions, compared with a list of numbers.
@Suite struct SlotQueueTests {
    @Test func tasksThatWaitForAnEmptyQueueAreResumedInOrderOfArrival() {
        var state = ActionQueueState<Int>(limit: nil, overflow: .suspend)
        _ = state.takeFreeTurn()
        for number in 0..<40 { _ = state.addDrainer().map { state.drain(number, number: $0) } }
        let drained = state.passTurn().drained

        #expect(drained == Array(0..<40))
    }

    @Test func appendingAndRemovingAtRandomMatchesAList() {
        for seed in UInt64(0)..<20 {
            var generator = SeededGenerator(seed: seed)
            var queue = SlotQueue<Int>()
            var list: [Int] = []
            var next = 0
            for _ in 0..<20_000 {
                switch Int.random(in: 0..<10, using: &generator) {
                case 0..<(seed % 2 == 0 ? 5 : 4):
                    queue.append(-next, number: next)
                    list.append(next)
                    next += 1
                case 5..<8:
                    let first = queue.removeFirst(leaving: 0)
                    #expect(first?.number == list.first && first?.element == list.first.map { -$0 }, "seed \(seed)")
                    if !list.isEmpty { list.removeFirst() }
                default:
                    let number = Int.random(in: 0...next, using: &generator)
                    let index = list.firstIndex(of: number)
                    #expect(queue.contains(number) == (index != nil), "seed \(seed)")
                    #expect(queue.remove(number, leaving: 0) == index.map { -list[$0] }, "seed \(seed)")
                    if let index { list.remove(at: index) }
                }
                if queue.count != list.count || queue.first?.number != list.first { Issue.record("seed \(seed)") }
            }
            #expect(queue.numbers == list, "seed \(seed)")
        }
    }

    @Test func removedSlotsDoNotOutgrowTheOthers() {
        var queue = SlotQueue<Int>()
        queue.append(0, number: 0)
        for number in 1...100_000 {
            queue.append(number, number: number)
            if number > 1 { _ = queue.remove(number - 1, leaving: 0) }
        }

        #expect(queue.numbers == [0, 100_000])
        #expect(queue.slotCount < 200)
    }
}
