// SPDX-License-Identifier: Apache-2.0

package import Foundation
import HeadraceCore
import HeadraceJSON

/// A journal with the state before its first action.
///
/// Its text form has a header, the state, and the actions, each as JSON in a line.
package struct JournalFile: Sendable, Equatable {
    private struct Header: Codable {
        var form: String
        var version: Int
        var state: String
        var action: String
    }

    private static let form = "headrace.station.journal"
    private static let version = 1

    /// Number of lines before the first action.
    private static let startLength = 2

    private let stateName: String
    private let actionName: String

    /// The JSON of the state before the first action.
    package let state: Data

    /// The JSON of each action, in the order of the reductions.
    package let actions: [Data]

    /// Creates the file of a station with these types.
    package init(of stateType: Any.Type, _ actionType: Any.Type, state: Data, actions: [Data]) {
        stateName = String(naming: stateType)
        actionName = String(naming: actionType)
        self.state = state
        self.actions = actions
    }

    /// Reads the text form.
    ///
    /// - Throws: ``StationError`` with the code `StationError.Code.malformedJournal` or
    ///   `StationError.Code.incompatibleJournal`.
    package init(_ text: Data) throws {
        let lines = text.split(separator: UInt8(ascii: "\n")).map { Data($0) }
        guard let first = lines.first, let version = Self.version(ofHeader: first) else {
            throw StationError.noJournalHeader()
        }
        guard version == Self.version else { throw StationError.journalVersion(version, supported: Self.version) }
        guard lines.count >= Self.startLength,
            let header = try? JSONDocumentDecoder.decode(Header.self, from: first)
        else { throw StationError.noJournalHeader() }
        stateName = header.state
        actionName = header.action
        state = lines[1]
        actions = Array(lines.dropFirst(Self.startLength))
    }

    /// The text form, which ``init(_:)`` reads.
    package var text: Data {
        get throws {
            let header = Header(form: Self.form, version: Self.version, state: stateName, action: actionName)
            let lines = [try JSONDocumentEncoder.encode(header), state] + actions
            return Data(lines.joined(separator: [UInt8(ascii: "\n")])) + [UInt8(ascii: "\n")]
        }
    }

    /// Number of lines before the actions if `lines` are such a file; 0 otherwise.
    static func startLength(of lines: [Data.SubSequence]) -> Int {
        lines.first.flatMap { version(ofHeader: Data($0)) } == nil ? 0 : startLength
    }

    private static func version(ofHeader line: Data) -> Int? {
        struct Start: Decodable {
            var form: String
            var version: Int
        }
        guard let start = try? JSONDocumentDecoder.decode(Start.self, from: line), start.form == form else {
            return nil
        }
        return start.version
    }

    /// Requires that the file is of a station with these types.
    func require(_ stateType: Any.Type, _ actionType: Any.Type) throws {
        let names = (state: String(naming: stateType), action: String(naming: actionType))
        guard names == (stateName, actionName) else {
            throw StationError.journalTypes((stateName, actionName), expected: names)
        }
    }

    /// Returns the state, and the action of each line.
    func decoded<State, Action>(_: State.Type, _: Action.Type) throws -> (state: State, actions: [Action]) {
        try require(State.self, Action.self)
        guard let stateType = State.self as? any Decodable.Type, let actionType = Action.self as? any Decodable.Type
        else { throw StationError.notCodable(State.self, Action.self) }
        let actions = try actions.enumerated().map { index, line in
            try Self.decode(actionType, as: Action.self, from: line, number: index + 1 + Self.startLength)
        }
        return (try Self.decode(stateType, as: State.self, from: state, number: Self.startLength), actions)
    }

    private static func decode<Line: Decodable, Value>(
        _: Line.Type, as _: Value.Type, from line: Data, number: Int
    ) throws -> Value {
        do {
            // The types are the same.
            if let value = try JSONDocumentDecoder.decode(Line.self, from: line) as? Value { return value }
            throw StationError.notCodable(Value.self, Line.self)
        } catch let error as StationError {
            throw error
        } catch {
            throw StationError.malformedJournal(line: number, error)
        }
    }
}

/// Receives the history of a station that is replayed on a copy of its state.
///
/// The changes of all actions can be much larger than the journal, so nothing collects them.
package protocol JournalReplayReceiver: Sendable {
    /// Called at the start with all properties of the state, as changes from nothing.
    func begin(_ properties: [StateChange])

    /// Called for each action, in order, with the properties that it has changed.
    func add<Action>(_ reduction: Reduction<Action>)
}

/// Replays of journals on a copy of the state: the station doesn't change, and no effect runs.
extension StationCore {
    /// The JSON of the state; `nil` if its type isn't `Codable`.
    var stateJSON: Data? { Self.json(of: state) }

    /// Reduces the actions of `file`, and passes the changes of each to `receiver`.
    func replay(_ file: JournalFile, to receiver: some JournalReplayReceiver) throws {
        let decoded = try file.decoded(State.self, Action.self)
        var state = decoded.state
        var last = StateSnapshot(of: state)
        receiver.begin(StateSnapshot().changes(to: last))
        for action in decoded.actions {
            _ = reduce(&state, action)
            let snapshot = StateSnapshot(of: state)
            receiver.add(Reduction(action: action, changes: last.changes(to: snapshot)))
            last = snapshot
        }
    }

    /// The state after the first `count` actions of `file`.
    func state(after count: Int, of file: JournalFile) throws -> State {
        let decoded = try file.decoded(State.self, Action.self)
        var state = decoded.state
        for action in decoded.actions.prefix(count) { _ = reduce(&state, action) }
        return state
    }

    /// The JSON of the state after all actions of `file`.
    func stateJSON(after file: JournalFile) throws -> Data? {
        Self.json(of: try state(after: file.actions.count, of: file))
    }

    private static func json(of state: State) -> Data? {
        guard let state = state as? any Codable else { return nil }
        return try? JSONDocumentEncoder.encode(state)
    }
}

/// The state of a station, and its changes from then on.
package struct StationInspection<Changes> {
    /// All properties of the state, as changes from nothing.
    package let properties: [StateChange]

    /// The JSON of the state; `nil` if its type isn't `Codable`.
    package let state: Data?

    /// The changes of each later action.
    package let changes: Changes
}

extension StationInspection: Sendable where Changes: Sendable {}

extension Station {
    /// The state, and its changes if they are iterated before the next action.
    package func inspect(limit: Int) -> StationInspection<Feed<Reduction<Action>>> {
        StationInspection(properties: core.properties, state: core.stateJSON, changes: changes(limit: limit))
    }

    /// Reduces the actions of `file` on a copy of the state, and passes the changes of each to `receiver`.
    ///
    /// - Throws: ``StationError`` if the file isn't of a station with these types.
    package func replay(_ file: JournalFile, to receiver: some JournalReplayReceiver) throws {
        try core.replay(file, to: receiver)
    }

    /// The JSON of the state after all actions of `file`.
    package func stateJSON(after file: JournalFile) throws -> Data? { try core.stateJSON(after: file) }

    /// Pours the action that `makeAction` makes from the state after `count` actions of `file`.
    package func pour(_ makeAction: (State) -> Action, after count: Int, of file: JournalFile) throws {
        _ = core.pour(makeAction(try core.state(after: count, of: file)))
    }
}

extension ActorStation {
    /// The state, and its changes from this call on.
    package func inspect(limit: Int) async -> StationInspection<AsyncStream<Reduction<Action>>> {
        await host.perform {
            StationInspection(properties: $0.properties, state: $0.stateJSON, changes: $0.changes(limit: limit))
        }
    }

    /// Reduces the actions of `file` on a copy of the state, and passes the changes of each to `receiver`.
    ///
    /// - Throws: ``StationError`` if the file isn't of a station with these types.
    package func replay(_ file: JournalFile, to receiver: some JournalReplayReceiver) async throws {
        try await host.perform { try $0.replay(file, to: receiver) }
    }

    /// The JSON of the state after all actions of `file`.
    package func stateJSON(after file: JournalFile) async throws -> Data? {
        try await host.perform { try $0.stateJSON(after: file) }
    }

    /// Pours the action that `makeAction` makes from the state after `count` actions of `file`.
    package func pour(
        _ makeAction: @Sendable (State) -> Action, after count: Int, of file: JournalFile
    ) async throws {
        _ = try await host.perform { $0.pour(makeAction(try $0.state(after: count, of: file))) }
    }
}
