// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// An error that is thrown if there is no import job with a given identifier.
public struct UnknownImport: Error, Sendable, CustomStringConvertible {
    /// The identifier.
    public let id: UUID

    /// Creates the error.
    public init(id: UUID) {
        self.id = id
    }

    /// The cause and the remedy.
    public var description: String {
        "There is no import '\(id)'. To fix, use the identifier from the answer that started it."
    }
}
