// SPDX-License-Identifier: Apache-2.0

import DequeModule
import Foundation
import HeadraceCore
import HeadraceJSON
import HeadraceStations
import Synchronization

/// The state of a station at the start of the recording, and the actions since then, within limits.
///
/// If an action exceeds the limits, the oldest actions are applied to the start state and removed.
final class StationHistory: Sendable {
    fileprivate struct State {
        var isFollowed = false
        var isGone = false
        var base: [StationView.Property] = []
        var steps: Deque<StationView.ReducedAction> = []

        /// The JSON of the state before ``removedLines``; `nil` if there is no journal.
        var start: Data?

        /// The lines of the actions that are no longer in ``steps``.
        var removedLines: [Data] = []
        var removedByteCount = 0
        var subscriptions: [String] = []
        var byteCount = 0
        var lastNumber = 0
    }

    private static let propertyLimit = 500

    /// Number of removed actions after which they are reduced to a new start of the journal.
    ///
    /// The size of ``byteLimit`` is a reason, too.
    private static let foldLength = 500

    /// Approximate maximum size of the steps in bytes.
    private static let byteLimit = 4 << 20

    let name: String
    private let stateType: Any.Type
    private let actionType: Any.Type
    private let canRestore: Bool
    private let configuration: InspectorConfiguration
    private let state = Mutex(State())

    /// Creates an empty history of the station `name`.
    init(name: String, of state: Any.Type, _ action: Any.Type, canRestore: Bool, configuration: InspectorConfiguration)
    {
        self.name = name
        stateType = state
        actionType = action
        self.canRestore = canRestore
        self.configuration = configuration
    }

    /// A snapshot for the page.
    var view: StationView {
        state.withLock { state in
            StationView(
                name: name,
                isGone: state.isGone,
                base: state.base,
                steps: Array(state.steps),
                subscriptions: state.subscriptions,
                hasJournal: !state.steps.isEmpty && state.start != nil && state.steps.allSatisfy { $0.line != nil },
                canRestore: canRestore
            )
        }
    }

    // MARK: Journals

    /// The journal of the recorded actions; `nil` if the redaction hides the state or an action, or one of them isn't `Codable`.
    var journal: JournalFile? {
        state.withLock { state in
            let lines = state.steps.compactMap(\.line)
            guard let start = state.start, lines.count == state.steps.count else { return nil }
            return JournalFile(
                of: stateType, actionType, state: start, actions: state.removedLines + lines.map { Data($0.utf8) })
        }
    }

    /// The removed actions, if they are so many that they should be folded.
    var removedActions: JournalFile? {
        state.withLock { state in
            guard let start = state.start,
                state.removedLines.count >= Self.foldLength || state.removedByteCount > Self.byteLimit
            else { return nil }
            return JournalFile(of: stateType, actionType, state: start, actions: state.removedLines)
        }
    }

    /// Replaces the start and the removed actions by the state after them.
    func fold(_ json: Data?) {
        state.withLock { state in
            state.start = json
            state.removedLines = []
            state.removedByteCount = 0
        }
    }

    /// Returns an empty history with the same limits and rules, for a journal.
    func emptyCopy() -> StationHistory {
        StationHistory(name: name, of: stateType, actionType, canRestore: canRestore, configuration: configuration)
    }

    // MARK: Recording

    /// Marks the station as followed.
    ///
    /// Returns `false` if it is followed already or has been released.
    func claim() -> Bool {
        state.withLock { state in
            if state.isFollowed || state.isGone { return false }
            state.isFollowed = true
            return true
        }
    }

    /// Marks the station as no longer followed, and as released if `isGone` is `true`.
    func release(isGone: Bool) {
        state.withLock { state in
            state.isFollowed = false
            state.isGone = isGone
        }
    }

    /// Starts a new recording at the state with these `properties`.
    ///
    /// - Parameters:
    ///   - properties: The properties, as changes from nothing.
    ///   - json: The JSON of the state.
    func begin(_ properties: [StateChange], state json: Data?) {
        let base = properties.prefix(Self.propertyLimit).map { property in
            let value = shown(property.new, of: property.property)
            return StationView.Property(
                name: property.property,
                value: value,
                isHidden: property.new != nil && value == nil
            )
        }
        state.withLock { state in
            state.base = base
            state.steps = []
            state.start = configuration.redaction.lists(type: stateType) && !isMasked(properties) ? json : nil
            state.removedLines = []
            state.removedByteCount = 0
            state.byteCount = 0
        }
    }

    /// Sets the ids of the subscriptions that are running.
    func setSubscriptions(_ names: [String]) {
        let names = names.prefix(Self.propertyLimit).compactMap { shown($0, of: "subscriptions") }
        state.withLock { $0.subscriptions = names }
    }

    /// Records an action that was reduced at `date`; `nil` in a replay.
    func add<Action>(_ reduction: Reduction<Action>, at date: Date?) {
        let changes = reduction.changes.prefix(Self.propertyLimit).map { change in
            let (old, new) = (shown(change.old, of: change.property), shown(change.new, of: change.property))
            return StationView.PropertyChange(
                property: change.property,
                old: old,
                new: new,
                isGone: change.new == nil,
                isHidden: (change.old != nil && old == nil) || (change.new != nil && new == nil)
            )
        }
        let type = String(naming: Action.self)
        let redaction = configuration.redaction
        let ruled = redaction.message(reduction.action)
        let listed = redaction.textOfListed(reduction.action)
        let action = configuration.limited(ruled ?? listed)
        // A rule can mask a part of an action, and the line would show the whole action.
        let line = listed == nil || (ruled ?? listed) != listed ? nil : Self.journalLine(of: reduction.action)
        let isMasked = isMasked(reduction.changes)
        state.withLock { state in
            if isMasked { state.start = nil }
            state.lastNumber += 1
            let step = StationView.ReducedAction(
                number: state.lastNumber,
                date: date?.millisecondsSince1970,
                type: type,
                action: action,
                line: line,
                changes: changes
            )
            state.steps.append(step)
            state.byteCount += step.byteCount
            while state.steps.count > max(1, configuration.historyLimit)
                || (state.byteCount > Self.byteLimit && state.steps.count > 1)
            {
                state.removeFirst(propertyLimit: Self.propertyLimit)
            }
        }
    }

    /// The line of `action` in an `ActionJournal`; `nil` if the action isn't `Codable`.
    private static func journalLine<Action: Sendable>(of action: Action) -> String? {
        guard let action = action as? any Codable else { return nil }
        return (try? JSONDocumentEncoder.encode(action)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether a rule shows another text for a new value, which the journal must not contain.
    private func isMasked(_ changes: some Sequence<StateChange>) -> Bool {
        changes.contains { change in
            guard let value = change.new else { return false }
            return configuration.redaction.property(name, change.property, value).map { $0 != value } ?? false
        }
    }

    private func shown(_ value: String?, of property: String) -> String? {
        value.flatMap { configuration.limited(configuration.redaction.text(of: $0, of: property, in: name, stateType)) }
    }
}

extension StationHistory: JournalReplayReceiver {
    func begin(_ properties: [StateChange]) { begin(properties, state: nil) }

    func add<Action>(_ reduction: Reduction<Action>) { add(reduction, at: nil) }
}

extension StationHistory.State {
    /// Removes the first step, and applies it to the start state.
    fileprivate mutating func removeFirst(propertyLimit: Int) {
        let step = steps.removeFirst()
        byteCount -= step.byteCount
        if let line = step.line {
            removedLines.append(Data(line.utf8))
            removedByteCount += line.utf8.count
        } else {
            start = nil
        }
        if start == nil {
            removedLines = []
            removedByteCount = 0
        }
        for change in step.changes {
            let index = base.firstIndex { $0.name == change.property }
            switch (index, change.isGone) {
            case (let index?, true): base.remove(at: index)
            case (let index?, false):
                base[index].value = change.new
                base[index].isHidden = change.isHidden
            case (nil, false) where base.count < propertyLimit:
                base.append(StationView.Property(name: change.property, value: change.new, isHidden: change.isHidden))
            default: break
            }
        }
    }
}

extension StationView.ReducedAction {
    /// Approximate size in bytes.
    fileprivate var byteCount: Int {
        changes.reduce(64 + type.utf8.count + (action?.utf8.count ?? 0) + (line?.utf8.count ?? 0)) { count, change in
            count + 32 + change.property.utf8.count + (change.old?.utf8.count ?? 0) + (change.new?.utf8.count ?? 0)
        }
    }
}

/// The history of a station, as the page shows it.
struct StationView: Sendable, Equatable, Encodable {
    /// A property of the state.
    struct Property: Sendable, Equatable, Encodable {
        let name: String

        /// The value; `nil` if the redaction hides it or the property has no value.
        var value: String?

        /// Whether the redaction hides the value.
        var isHidden: Bool
    }

    /// A change of a property by an action.
    struct PropertyChange: Sendable, Equatable, Encodable {
        let property: String
        let old: String?
        let new: String?
        let isGone: Bool

        /// Whether the redaction hides a value.
        let isHidden: Bool
    }

    /// An action with its changes.
    struct ReducedAction: Sendable, Equatable, Encodable {
        let number: Int

        /// Time of the action, in milliseconds since 1970; `nil` in a replay.
        let date: Double?
        let type: String
        let action: String?

        /// The complete action as a line of an `ActionJournal`; `nil` if the list of the redaction doesn't decide about it, or its type
        /// isn't `Codable`.
        let line: String?

        let changes: [PropertyChange]
    }

    let name: String

    /// Whether the station has been released.
    let isGone: Bool

    /// The state before the first step.
    let base: [Property]

    let steps: [ReducedAction]

    /// The ids of the subscriptions that were running after the last step, without those that the redaction hides.
    let subscriptions: [String]

    /// Whether the recorded actions can be downloaded as a journal.
    let hasJournal: Bool

    /// Whether the station has an action that restores a state.
    let canRestore: Bool
}
