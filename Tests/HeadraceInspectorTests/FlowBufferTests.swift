// SPDX-License-Identifier: Apache-2.0

import HeadraceTesting
import Testing

@testable import HeadraceInspector

@Suite struct FlowBufferTests {
    private func entry(_ size: Int = 0) -> FlowEntry {
        FlowEntry(kind: "", type: "", began: 0, payload: size == 0 ? nil : String(repeating: "x", count: size))
    }

    @Test func entriesAreCountedFromOneAndKeptInOrder() {
        var buffer = FlowBuffer(capacity: 3, byteLimit: .max)
        for _ in 1...5 { _ = buffer.append(entry()) }

        #expect(buffer.entries.map(\.number) == [3, 4, 5])
        #expect(buffer[2] == nil)
        #expect(buffer[6] == nil)
        #expect(buffer[0] == nil)
    }

    @Test func anOversizedEntryIsKeptUntilTheNextEntry() {
        var buffer = FlowBuffer(capacity: 10, byteLimit: 1_000)
        _ = buffer.append(entry())
        let removed = buffer.append(entry(5_000))

        #expect(removed.map(\.number) == [1])
        #expect(buffer.entries.map(\.number) == [2])
        #expect(buffer.append(entry()).map(\.number) == [2])
        #expect(buffer.byteCount <= 1_000)
    }

    @Test func anUpdateOfARemovedEntryChangesNothing() {
        var buffer = FlowBuffer(capacity: 1, byteLimit: .max)
        _ = buffer.append(entry())
        _ = buffer.append(entry())
        let revision = buffer.revision

        #expect(buffer.update(1) { $0.outcome = "success" }.isEmpty)
        #expect(buffer.revision == revision)
    }

    /// Compares the buffer with a plain list: the limits and the order hold, and the cursor misses no change.
    @Test(arguments: 0..<40 as Range<UInt64>)
    func aRandomHistoryMatchesAPlainList(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let capacity = Int.random(in: 1...20, using: &generator)
        let byteLimit = Int.random(in: 500...20_000, using: &generator)
        var buffer = FlowBuffer(capacity: capacity, byteLimit: byteLimit)
        var model: [FlowEntry] = []
        var seen: [UInt64: UInt64] = [:]
        var cursor: UInt64 = 0

        for _ in 0..<300 {
            if Bool.random(using: &generator) || model.isEmpty {
                let removed = buffer.append(entry(Int.random(in: 0...2_000, using: &generator)))
                model.append(buffer[buffer.last] ?? entry())
                #expect(removed.map(\.number) == model.prefix(removed.count).map(\.number), "seed \(seed)")
                model.removeFirst(removed.count)
            } else {
                let number = UInt64.random(in: 1...buffer.last, using: &generator)
                let text = String(repeating: "y", count: Int.random(in: 0...2_000, using: &generator))
                let removed = buffer.update(number) { $0.failure = text }
                if let index = model.firstIndex(where: { $0.number == number }) {
                    model[index].failure = text
                    model[index].revision = buffer.revision
                }
                model.removeFirst(removed.count)
            }

            #expect(buffer.entries == model, "seed \(seed)")
            #expect(buffer.count <= capacity && buffer.count == model.count, "seed \(seed)")
            #expect(buffer.byteCount == model.reduce(0) { $0 + $1.byteCount }, "seed \(seed)")
            #expect(buffer.byteCount <= byteLimit || buffer.count == 1, "seed \(seed)")

            let limit = Int.random(in: 1...30, using: &generator)
            let changed = buffer.entries(after: cursor, limit: limit)
            #expect(changed.map(\.revision) == changed.map(\.revision).sorted(), "seed \(seed)")
            for entry in changed { seen[entry.number] = entry.revision }
            cursor = changed.last?.revision ?? cursor
        }

        for entry in buffer.entries(after: cursor, limit: .max) { seen[entry.number] = entry.revision }
        for entry in model { #expect(seen[entry.number] == entry.revision, "seed \(seed)") }
    }
}
