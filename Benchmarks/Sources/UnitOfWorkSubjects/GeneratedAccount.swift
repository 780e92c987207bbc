// SPDX-License-Identifier: Apache-2.0

public import HeadraceDomain

/// An account as `@DomainEntity` expands it, so that release builds of the benchmarks don't compile the macro.
///
/// A test compares the last members with the expansion.
public final class GeneratedAccount: StoredEntity {
    /// The name of the entity type.
    public static let entityName = "account"

    /// The number of the account.
    public let id: Int
    /// The sum of the deposits.
    public private(set) var balance = 0

    /// Creates an account.
    public init(_ id: Int) {
        self.id = id
    }

    /// Adds `amount`, and raises an event.
    public func deposit(_ amount: Int) {
        balance += amount
        raiseEvent(Deposited(account: id, amount: amount))
    }

    /// The raised events.
    public var raisedEvents = HeadraceDomain.RaisedEvents()

    /// Writes the document.
    public func encode(to encoder: inout HeadraceDomain.DocumentEncoder) throws {
        try encoder.beginObject()
        try encoder.encode(self.balance, forKey: "balance")
        try encoder.encode(self.id, forKey: "id")
        encoder.endObject()
    }

    /// Reads a document.
    public init(from decoder: inout HeadraceDomain.DocumentDecoder) throws {
        try decoder.beginObject()
        self.balance = try decoder.decode(Int.self, forKey: "balance")
        self.id = try decoder.decode(Int.self, forKey: "id")
        try decoder.endObject()
    }
}
