// SPDX-License-Identifier: Apache-2.0

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
