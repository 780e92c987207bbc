//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// An error of a ``RecordingDispatcher`` itself, never of a stub.
public struct RecordingDispatcherError: Error, Sendable, CustomStringConvertible {
    /// What went wrong.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String { case noStub, unmetRequirement }

        private let kind: Kind

        /// A query was dispatched that the test has given no answer for.
        public static let noStub = Code(kind: .noStub)

        /// What the test required to be dispatched was not.
        public static let unmetRequirement = Code(kind: .unmetRequirement)

        /// The name of the code.
        public var description: String { kind.rawValue }
    }

    /// What went wrong.
    public let code: Code

    /// What happened and how to fix it.
    public let message: String

    /// The code and the message.
    public var description: String { "\(code): \(message)" }

    static func noStub(for query: Any.Type, answer: String) -> RecordingDispatcherError {
        RecordingDispatcherError(
            code: .noStub,
            message: """
                '\(String(naming: query))' was dispatched, and nothing answers it. To fix, add \
                'dispatcher.stub(\(query).self) \(answer)' before.
                """
        )
    }

    static func unmet(_ requirement: String, _ messages: [any Sendable]) -> RecordingDispatcherError {
        let texts = messages.map { String(reflecting: $0).withoutTypeAddresses }
        let list = texts.enumerated().map { "\n  \($0 + 1). \($1)" }.joined()
        return RecordingDispatcherError(
            code: .unmetRequirement,
            message: """
                Required was \(requirement). Dispatched was \(messages.isEmpty ? "nothing." : "this:\(list)")
                """
        )
    }
}
