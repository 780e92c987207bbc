// SPDX-License-Identifier: Apache-2.0

import HeadraceTesting
import Testing

@testable import HeadraceStorage

@Suite struct SortedChunksTests {
    private typealias Chunks = SortedChunks<Int>

    private static func elements(_ chunks: Chunks, from start: Chunks.Position? = nil) -> [Int] {
        var elements: [Int] = []
        chunks.forEach(from: start ?? chunks.start, to: chunks.end) {
            elements.append($0)
            return true
        }
        return elements
    }

    private static func reversed(_ chunks: Chunks, before end: Chunks.Position) -> [Int] {
        var elements: [Int] = []
        chunks.forEachReversed(before: end) {
            elements.append($0)
            return true
        }
        return elements
    }

    @Test(arguments: [UInt64](0..<20)) func randomChangesEqualThoseOfASet(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var chunks = Chunks()
        var model: Set<Int> = []
        for round in 0..<4_000 {
            let element = Int.random(in: 0..<3_000, using: &generator)
            // Grows first, then shrinks.
            if Int.random(in: 0..<4, using: &generator) < (round < 2_000 ? 3 : 1) {
                chunks.insert(element)
                model.insert(element)
            } else {
                chunks.remove(element)
                model.remove(element)
            }
        }
        let sorted = model.sorted()

        #expect(Self.elements(chunks) == sorted)
        #expect(Self.reversed(chunks, before: chunks.end) == sorted.reversed())
        #expect(chunks.count == sorted.count)
        for _ in 0..<50 {
            let bound = Int.random(in: -1...3_001, using: &generator)
            let position = chunks.firstPosition { $0 >= bound }
            #expect(Self.elements(chunks, from: position) == sorted.filter { $0 >= bound })
            #expect(Self.reversed(chunks, before: position) == sorted.filter { $0 < bound }.reversed())
            #expect(chunks.count(from: chunks.start, to: position) == sorted.count { $0 < bound })
            #expect(chunks.count(from: position, to: chunks.end) == sorted.count { $0 >= bound })
        }
    }

    @Test(arguments: [Array(0..<5_000), Array((0..<5_000).reversed())]) func elementsInAnyDirectionAreSorted(
        order: [Int]
    ) {
        var chunks = Chunks()
        for element in order { chunks.insert(element) }
        #expect(Self.elements(chunks) == order.sorted())

        for element in order where element % 100 != 0 { chunks.remove(element) }
        #expect(Self.elements(chunks) == order.sorted().filter { $0 % 100 == 0 })
    }

    @Test func aCopyKeepsItsElements() {
        var chunks = Chunks()
        for element in 0..<1_000 { chunks.insert(element) }
        let copy = chunks
        for element in 0..<1_000 where element.isMultiple(of: 2) { chunks.remove(element) }

        #expect(Self.elements(copy) == Array(0..<1_000))
    }

    @Test func aSearchComparesALogarithmicNumberOfElements() {
        var chunks = Chunks()
        for element in 0..<100_000 { chunks.insert(element) }
        var comparisons = 0
        _ = chunks.firstPosition {
            comparisons += 1
            return $0 >= 77_777
        }

        #expect(comparisons <= 20)
    }
}
