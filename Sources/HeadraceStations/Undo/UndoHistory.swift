// SPDX-License-Identifier: Apache-2.0

/// The former values of a property, for ``Dripper/undoable(_:history:role:)``.
///
/// It is a part of the state. So `undo` and `redo` are actions like all others: journals contain them, and a replay of a journal
/// undoes what was undone.
public struct UndoHistory<Value> {
    private enum CodingKeys: String, CodingKey { case undoValues, redoValues, limit, group }

    /// The values before each step, the oldest first.
    public private(set) var undoValues: [Value] = []

    /// The values after each undone step; the last is the next to redo.
    public private(set) var redoValues: [Value] = []

    /// Maximum number of steps, after which the oldest are forgotten.
    public let limit: Int

    /// The group of the last step; `nil` if the next action can't be a part of that step.
    private var group: String?

    /// Creates a history without steps.
    ///
    /// - Parameter limit: Maximum number of steps. `limit` must be at least 1.
    public init(limit: Int = 100) {
        precondition(limit > 0, "A history can't hold \(limit) steps. To fix, pass a limit of 1 or more.")
        self.limit = limit
    }

    /// Whether a step can be undone.
    public var canUndo: Bool { !undoValues.isEmpty }

    /// Whether a step can be redone.
    public var canRedo: Bool { !redoValues.isEmpty }

    /// Adds a step, and forgets the steps that could be redone.
    ///
    /// A test calls it to describe the expected history.
    ///
    /// - Parameters:
    ///   - old: The value before the step.
    ///   - group: The group of the step; `nil` if it has none. If the last step has the same group, both are one step.
    public mutating func add(_ old: Value, mergedAs group: String? = nil) {
        let isMerged = group != nil && group == self.group && redoValues.isEmpty && canUndo
        redoValues = []
        self.group = group
        if isMerged { return }
        append(old)
    }

    /// Adds a value to undo, and forgets the oldest values beyond the limit.
    private mutating func append(_ value: Value) {
        if undoValues.count >= limit { undoValues.removeFirst(undoValues.count - limit + 1) }
        undoValues.append(value)
    }

    /// Removes the last step.
    ///
    /// - Parameter current: The current value, which ``redo(from:)`` returns again.
    /// - Returns: The value before the step; `nil` if there is none.
    public mutating func undo(from current: Value) -> Value? {
        group = nil
        guard let value = undoValues.popLast() else { return nil }
        redoValues.append(current)
        return value
    }

    /// Adds the step that was undone last.
    ///
    /// - Parameter current: The current value, which ``undo(from:)`` returns again.
    /// - Returns: The value after the step; `nil` if there is none.
    public mutating func redo(from current: Value) -> Value? {
        group = nil
        guard let value = redoValues.popLast() else { return nil }
        append(current)
        return value
    }

    /// Forgets the steps that could be redone, because a change that is no step has made them stale.
    mutating func clearRedo() {
        group = nil
        redoValues = []
    }
}

extension UndoHistory: Equatable where Value: Equatable {}
extension UndoHistory: Hashable where Value: Hashable {}
extension UndoHistory: Sendable where Value: Sendable {}
extension UndoHistory: Encodable where Value: Encodable {}
extension UndoHistory: Decodable where Value: Decodable {
    /// Decodes a history.
    ///
    /// Of more steps than the limit, the oldest are forgotten.
    ///
    /// - Throws: `DecodingError` if a value is missing or isn't of its type, or if the limit is less than 1.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        limit = try values.decode(Int.self, forKey: .limit)
        guard limit > 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .limit,
                in: values,
                debugDescription: "A history can't hold \(limit) steps. To fix, encode a limit of 1 or more."
            )
        }
        undoValues = try values.decode([Value].self, forKey: .undoValues).suffix(limit)
        redoValues = try values.decode([Value].self, forKey: .redoValues).suffix(limit)
        group = try values.decodeIfPresent(String.self, forKey: .group)
    }
}
