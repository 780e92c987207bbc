// SPDX-License-Identifier: Apache-2.0

/// The kinds of content that the redaction has hidden in a view, each named after the rule that shows it.
///
/// Its JSON is the array of the names.
struct HiddenContent: OptionSet, Sendable, Hashable, Codable {
    let rawValue: UInt8

    static let message = HiddenContent(rawValue: 1)
    static let storedMessage = HiddenContent(rawValue: 2)
    static let property = HiddenContent(rawValue: 4)
    static let failure = HiddenContent(rawValue: 8)
    static let identifier = HiddenContent(rawValue: 16)

    private static let hintsByKind: [(kind: HiddenContent, name: String, hint: String)] = [
        (
            .message, "message",
            "The content of a message is hidden unless its type is in the list of shown types. To show it, pass the type "
                + "to 'InspectorConfiguration(showing:)', or set 'Redaction.message'."
        ),
        (
            .storedMessage, "storedMessage",
            "The content of a stored message is hidden unless its type is in the list of shown types. To show it, pass the "
                + "type to 'InspectorConfiguration(showing:)', or set 'Redaction.storedMessage'."
        ),
        (
            .property, "property",
            "The values of a state are hidden unless its type is in the list of shown types. To show them, pass the type of "
                + "the state to 'InspectorConfiguration(showing:)', or set 'Redaction.property'."
        ),
        (
            .failure, "failure",
            "The text of an error is hidden unless its type is in the list of shown types. To show it, pass the type to "
                + "'InspectorConfiguration(showing:)', or set 'Redaction.failure'. The list has no effect on the reason "
                + "of a dead letter, because only its text is stored."
        ),
        (
            .identifier, "identifier",
            "An identifier is hidden unless the type of its entity or process is in the list of shown types. To show it, "
                + "pass the type to 'InspectorConfiguration(showing:)', or set 'Redaction.identifier'."
        ),
    ]

    /// For each kind, the reason why it is hidden, and how to show it.
    static let hints = Dictionary(uniqueKeysWithValues: hintsByKind.map { ($0.name, $0.hint) })

    /// The hints for the kinds that occur in `views`; `nil` if there are none.
    static func hints(of views: some Sequence<HiddenContent>) -> [String: String]? {
        let all = views.reduce(HiddenContent()) { $0.union($1) }
        return all.names.map { names in hints.filter { names.contains($0.key) } }
    }

    /// The kinds as words, and `nil` if there are none.
    var names: [String]? {
        isEmpty ? nil : Self.hintsByKind.filter { contains($0.kind) }.map(\.name)
    }

    init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    init(from decoder: any Decoder) throws {
        let names = try [String](from: decoder)
        self = Self.hintsByKind.filter { names.contains($0.name) }.reduce(into: HiddenContent()) { $0.insert($1.kind) }
    }

    func encode(to encoder: any Encoder) throws {
        try (names ?? []).encode(to: encoder)
    }
}
