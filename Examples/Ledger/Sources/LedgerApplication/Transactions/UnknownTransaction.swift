// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An error that is thrown if the ledger has no transaction with an identifier.
public struct UnknownTransaction: Error, Sendable, CustomStringConvertible {
    /// The identifier.
    public let id: UUID

    /// Creates the error.
    public init(id: UUID) {
        self.id = id
    }

    /// The cause and the remedy.
    public var description: String {
        "There is no transaction '\(id)'. To fix, use an identifier from the list of transactions."
    }
}
