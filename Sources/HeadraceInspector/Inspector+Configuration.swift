//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension Inspector {
    /// How much an inspector keeps, and what it may show.
    public struct Configuration: Sendable {
        /// How many messages and stages the flow holds; 2,000 unless told otherwise.
        public var capacity = 2_000

        /// About how many bytes they take at the most, whatever their number; 4 MiB unless told otherwise.
        public var byteLimit = 4 << 20

        /// How many bytes are kept of each text that is shown; 2,048 unless told otherwise.
        public var textLimit = 2_048

        /// How many actions are kept of each station; 500 unless told otherwise.
        public var historyLimit = 500

        /// How long after a look messages are still written down; 30 seconds unless told otherwise.
        public var window: Duration = .seconds(30)

        /// What may be shown of messages, state and failures; their types unless told otherwise.
        public var redaction: Redaction = .typesOnly

        /// Creates the configuration that holds unless told otherwise.
        public init() {}

        /// What `rule` lets be shown of `value`, shortened to the limit.
        func shown<Value>(_ value: Value, by rule: (Value) -> String?) -> String? {
            rule(value).map { $0.shortened(to: textLimit) }
        }
    }
}

extension String {
    /// The text, without what exceeds `limit` bytes.
    func shortened(to limit: Int) -> String {
        if utf8.count <= limit { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: max(0, limit))
        while end > utf8.startIndex, String.Index(end, within: self) == nil { end = utf8.index(before: end) }
        return self[..<end] + "…"
    }
}
