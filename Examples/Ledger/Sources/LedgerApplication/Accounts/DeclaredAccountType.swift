// SPDX-License-Identifier: Apache-2.0

public import Headrace
public import LedgerBooks

/// The type of an account that a journal has declared, as in `account income:dividends  ; type:R`.
///
/// It also counts for the subaccounts.
public final class DeclaredAccountType: StoredEntity {
    /// The name of the entity type in the store.
    public static let entityName = "account-type"

    /// The events that no unit of work has taken yet.
    public var raisedEvents = RaisedEvents()

    /// The name of the account.
    public let id: String

    /// The type.
    public private(set) var type: AccountType

    private init(_ account: String, type: AccountType) {
        id = account
        self.type = type
    }

    /// Stores `types`, by the names of accounts, in place of earlier declarations of the same accounts.
    ///
    /// - Throws: `StoreError`.
    static func declare(_ types: [String: AccountType], in context: EntityContext) async throws {
        let types = Dictionary(types.map { ($0.key.composed, $0.value) }) { _, last in last }
        if types.isEmpty { return }
        var missing = types
        for known in try await context.find(DeclaredAccountType.self, ids: types.keys.sorted()) {
            guard let type = missing.removeValue(forKey: known.id), type != known.type else { continue }
            known.type = type
        }
        for (account, type) in missing.sorted(by: { $0.key < $1.key }) {
            context.insert(DeclaredAccountType(account, type: type))
        }
    }
}

/// The types of all accounts: those that journals have declared, and those that follow from names.
struct AccountTypes {
    private let declared: [String: AccountType]

    /// Reads the declared types.
    ///
    /// - Throws: `StoreError`; `CancellationError`.
    init(in store: any EntityStore) async throws {
        let all = try await EntityContext(store).fetch(DeclaredAccountType.self)
        declared = Dictionary(all.map { ($0.id, $0.type) }) { first, _ in first }
    }

    /// The type of `account`; `nil` if it is unknown.
    ///
    /// The declaration of the account counts, then that of its nearest parent, then the name; see `AccountType`.
    subscript(account: String) -> AccountType? {
        var name = account[...]
        while !declared.isEmpty {
            if let type = declared[String(name)] { return type }
            guard let colon = name.lastIndex(of: ":") else { break }
            name = name[..<colon]
        }
        return AccountType(ofAccount: account)
    }
}
