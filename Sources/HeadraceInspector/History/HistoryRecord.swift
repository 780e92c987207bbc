// SPDX-License-Identifier: Apache-2.0

import Foundation
import HeadraceJSON

/// The first line of a file of a history.
struct HistoryHeader: Codable {
    static let currentVersion = 1
    static let currentForm = "headrace.inspector.history"

    /// Numbers in a file that are larger than this aren't of a history.
    static let numberLimit = 1 << 40

    var form = Self.currentForm
    var version = Self.currentVersion

    /// The number of the file, counting from 1; the files with even and odd numbers replace each other.
    var segment: Int

    /// The time when the file was begun, in milliseconds since 1970.
    var began: Double
}

/// The form and the version of a file, which all versions have.
struct HistoryForm: Decodable {
    var form: String
    var version: Int
}

/// A line of a history: an entry of the flow at one of its changes, or a number of missing entries.
struct HistoryRecord: Codable {
    /// The number of the run of the program, counting from 1.
    var run: Int

    /// The entry, whose number is unique in its run.
    var entry: FlowEntry?

    /// Approximate number of entries that were left out since the line before.
    var leftOut: Int?

    /// The record of a line; `nil` if the line isn't one.
    init?(line: Data) {
        guard let record = try? JSONDocumentDecoder.decode(HistoryRecord.self, from: line), record.isValid else {
            return nil
        }
        self = record
    }

    init(run: Int, entry: FlowEntry? = nil, leftOut: Int? = nil) {
        self.run = run
        self.entry = entry
        self.leftOut = leftOut
    }

    private var isValid: Bool {
        let numbers = 0...HistoryHeader.numberLimit
        guard numbers.contains(run), numbers.contains(leftOut ?? 0), (entry == nil) != (leftOut == nil) else {
            return false
        }
        guard let entry else { return true }
        // The limit of a date in a browser.
        return abs(entry.began) <= 8.64e15 && (entry.duration ?? 0) >= 0
    }
}

extension Encodable {
    /// The JSON with the end of its line.
    func historyLine() throws -> Data {
        try JSONDocumentEncoder.encode(self) + [UInt8(ascii: "\n")]
    }
}
