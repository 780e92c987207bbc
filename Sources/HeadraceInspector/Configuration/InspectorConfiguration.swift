//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Limits on the memory of an inspector, and its rules for showing content.
public struct InspectorConfiguration: Sendable {
    /// Maximum number of messages and stages in the flow; 2,000 by default.
    public var capacity = 2_000

    /// Approximate maximum size of the flow in bytes; 4 MiB by default.
    public var byteLimit = 4 << 20

    /// Maximum size of each shown text in bytes; 2,048 by default.
    ///
    /// Longer texts are truncated.
    public var textLimit = 2_048

    /// Maximum number of actions in the history of each station; 500 by default.
    public var historyLimit = 500

    /// Time for which recording continues after the last request to the inspector; 30 seconds by default.
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

    /// Applies `rule` to `value`, and truncates the text to ``textLimit``.
    func shown<Value>(_ value: Value, by rule: (Value) -> String?) -> String? {
        rule(value).map { $0.truncated(to: textLimit) }
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
