//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

/// An error of the unit of work itself, neither of a handler nor of the store.
///
/// Branch on ``code``, log ``description``. Later releases may add codes.
public struct UnitOfWorkError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, stable enough to branch on.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String { case endlessEvents }

        private let kind: Kind

        /// Pre-commit handlers raise events that raise events, beyond any use.
        public static let endlessEvents = Code(kind: .endlessEvents)

        /// The name of the code: bounded, fit for a metric label.
        public var description: String { kind.rawValue }
    }

    /// What went wrong.
    public let code: Code

    /// What happened and how to fix it, in one sentence each.
    public let message: String

    /// The types of the events that led to one another, the first one first.
    public let chain: [String]

    /// The code and the message.
    public var description: String { "\(code): \(message)" }

    static func endlessEvents(chain: [String]) -> UnitOfWorkError {
        UnitOfWorkError(
            code: .endlessEvents,
            message: """
                \(chain.count) events followed from one another and pre-commit handlers still raise more \
                (\(chain.suffix(3).joined(separator: " → ")) → …). Nothing was stored. To fix, find the handler \
                that raises what leads back to itself, and let it raise only what is new.
                """,
            chain: chain
        )
    }
}

extension UnitOfWorkError: CodedError {
    /// The name of ``code-swift.property``.
    public var codeName: String { code.description }
}
