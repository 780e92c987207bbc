// SPDX-License-Identifier: Apache-2.0

/// Limits on the memory of an inspector, and its rules for showing content.
public struct InspectorConfiguration: Sendable {
    /// Maximum number of messages and stages in the flow; 20,000 by default.
    public var capacity = 20_000

    /// Approximate maximum size of the flow in bytes; 16 MiB by default.
    ///
    /// Memory is allocated as entries come.
    public var byteLimit = 16 << 20

    /// Time over which ``capacity`` is spread while no page is open; 3 minutes by default.
    ///
    /// The inspector keeps the last messages even if no page is open, so that a page shows what happened before it was
    /// opened. To limit the cost under load, it then records at most `capacity / retention` messages and stages each second,
    /// and bursts of up to a quarter of `capacity`. The page says if it has left out messages.
    ///
    /// With `.zero`, the inspector records only while a page is open.
    public var retention: Duration = .seconds(180)

    /// Maximum size of each shown text in bytes; 2,048 by default.
    ///
    /// Longer texts are truncated.
    public var textLimit = 2_048

    /// Maximum number of actions in the history of each station; 500 by default.
    ///
    /// A history is also limited to about 4 MiB.
    public var historyLimit = 500

    /// Time for which all messages are recorded after the last request to the inspector; 30 seconds by default.
    public var window: Duration = .seconds(30)

    /// Rules for showing the content of messages, states, and failures; ``Redaction/typesOnly`` by default.
    public var redaction: Redaction = .typesOnly

    /// The name of the operator in the records of operations; `inspector` by default.
    public var operatorName = "inspector"

    /// The header field with the name of the operator, which a proxy in front of the inspector sets after it has authenticated
    /// the operator; `nil` by default, for ``operatorName``.
    ///
    /// The proxy must remove the field from the requests of clients.
    public var operatorHeader: String?

    /// Creates a configuration with the default values.
    public init() {}

    /// Creates a configuration that shows all content of these types: messages, events, actions, states, errors, entities,
    /// and durable processes.
    ///
    /// ```swift
    /// let inspector = Inspector(configuration: InspectorConfiguration(showing: ReserveSeat.self, SeatReserved.self))
    /// ```
    ///
    /// See ``Redaction/show(_:_:)``.
    public init<First, each Other>(showing first: First.Type, _ others: repeat (each Other).Type) {
        redaction.show(first, repeat each others)
    }

    /// Truncates `text` to ``textLimit``.
    func limited(_ text: String?) -> String? {
        text?.truncated(to: textLimit)
    }

    /// The text of an error of an unknown type, as far as the redaction shows it.
    func shownFailure(_ text: String) -> String? {
        shown(text, by: redaction.failure)
    }

    /// Applies `rule` to `value`, and truncates the text to ``textLimit``.
    func shown<Value>(_ value: Value, by rule: (Value) -> String?) -> String? {
        limited(rule(value))
    }
}

extension String {
    /// The text, cut between two characters if it is longer than `limit` bytes.
    func truncated(to limit: Int) -> String {
        if utf8.count <= limit { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: max(0, limit))
        while end > utf8.startIndex, String.Index(end, within: self) == nil { end = utf8.index(before: end) }
        return self[..<end] + "…"
    }
}
