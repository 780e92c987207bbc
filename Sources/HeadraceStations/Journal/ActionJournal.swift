// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HeadraceJSON

/// The actions of a station in the order in which they were reduced.
///
/// It contains the actions that the program has poured, and the actions that effects have sent and poured.
///
/// ```swift
/// let recording = station.record()
/// station.pour(.increase)
/// try recording.journal.jsonLines().write(to: file)
/// ```
///
/// Its text form is JSON with one action in each line. An ``ActionReplay`` reduces the actions again.
public struct ActionJournal<Action: Sendable>: Sendable {
    /// The actions.
    public var actions: [Action]

    /// Creates a journal of `actions`.
    public init(_ actions: [Action] = []) {
        self.actions = actions
    }
}

extension ActionJournal: Equatable where Action: Equatable {}

extension ActionJournal where Action: Codable {
    /// Reads a journal from JSON with one action in each line.
    ///
    /// Empty lines are ignored, and so are the header and the state in a file of the inspector.
    ///
    /// - Throws: ``StationError`` with the code `StationError.Code.malformedJournal` and the number of the line.
    public init(jsonLines: Data) throws {
        actions = []
        let lines = jsonLines.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated().dropFirst(JournalFile.startLength(of: lines)) where !line.isEmpty {
            do {
                actions.append(try JSONDocumentDecoder.decode(Action.self, from: line))
            } catch {
                throw StationError.malformedJournal(line: index + 1, error)
            }
        }
    }

    /// Returns the journal as JSON with one action in each line.
    ///
    /// Equal journals have the same text.
    ///
    /// - Throws: The error that encoding an action throws.
    public func jsonLines() throws -> Data {
        var lines = Data()
        for action in actions {
            lines.append(try JSONDocumentEncoder.encode(action))
            lines.append(UInt8(ascii: "\n"))
        }
        return lines
    }
}
