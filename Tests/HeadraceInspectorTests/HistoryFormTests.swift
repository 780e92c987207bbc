// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import HeadraceInspector

@Suite struct HistoryFormTests {
    private let golden = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/flow-1.jsonl")

    @Test func theFormIsTheFormOfTheGoldenFile() throws {
        let lines = try Data(contentsOf: golden).split(separator: UInt8(ascii: "\n"))

        #expect(try HistoryHeader(segment: 1, began: 1_700_000_000_000).historyLine().dropLast() == lines.first)
        for line in lines.dropFirst() {
            let record = try #require(HistoryRecord(line: Data(line)))
            #expect(
                try String(decoding: record.historyLine().dropLast(), as: UTF8.self)
                    == String(decoding: line, as: UTF8.self))
        }
    }

    @Test func theGoldenFileIsRead() throws {
        let read = try #require(try HistorySegment.open(golden.path, limit: 1 << 20))
        let restored = RestoredHistory(read.records, unreadable: read.unreadable, since: 0)

        #expect(restored.entries.map(\.number) == [1, 2, 3])
        #expect(restored.entries.map(\.parent) == [nil, 1, nil])
        #expect(restored.entries.map(\.outcome) == ["success", "LimitExceeded", "unfinished"])
        #expect(restored.entries.map(\.payload) == [nil, "Deposit(amount: 5)", nil])
        #expect(restored.entries.first?.hidden == .message)
        #expect(restored.entries.allSatisfy { $0.isEarlier == true })
        #expect(restored.leftOut == 12 && restored.unreadable == 0 && restored.lastRun == 2)
    }

    @Test func onlyTheLastLinesOfAFileThatIsTooLargeAreRead() throws {
        let read = try #require(try HistorySegment.open(golden.path, limit: 300))

        #expect(read.records.map(\.run) == [1, 2])
        #expect(read.unreadable == 0)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func aFullDiskIsAnErrorAndNoTrap() throws {
        let handle = try #require(FileHandle(forUpdatingAtPath: "/dev/full"))
        var segment = HistorySegment(handle, HistoryHeader(segment: 1, began: 0))

        for _ in 0..<2 { #expect(throws: (any Error).self) { try segment.append(Data("line\n".utf8)) } }
        #expect(segment.size == 0)
    }

    @Test func aPartOfALineThatAFailureHasLeftIsReplaced() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "headrace-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let golden = try Data(contentsOf: golden)
        try (golden + Data("{\"run\":1,\"ent".utf8)).write(to: file)

        var read = try #require(try HistorySegment.open(file.path, limit: 1 << 20))
        try read.segment.append(Data("{}\n".utf8))

        #expect(try Data(contentsOf: file) == golden + Data("{}\n".utf8))
        #expect(read.unreadable == 1)
    }
}
