// SPDX-License-Identifier: Apache-2.0

public import Headrace
public import LedgerBooks

/// The change of an account's balance on one day in one commodity.
///
/// The statement has the change instead of the balance, so that a transaction with an old date changes only one
/// statement.
public final class DailyStatement: StoredEntity {
    /// The name of the entity type in the store.
    public static let entityName = "daily-statement"

    /// Version of the stored format.
    ///
    /// Since version 2, account names are composed in the index.
    public static let schemaVersion = 2

    /// The indexes of the entity type.
    public static var indexes: [EntityIndex<DailyStatement>] { [.account, .date] }

    /// The events that no unit of work has taken yet.
    public var raisedEvents = RaisedEvents()

    /// The date, the commodity, and the account.
    public let id: String

    /// The full name of the account.
    public let account: String

    /// The commodity.
    public let commodity: String

    /// The date.
    public let date: BookDate

    /// The sum of the bookings of the day.
    public private(set) var change = Quantity.zero

    /// Creates the statement of a day without bookings.
    public init(of account: String, in commodity: String, on date: BookDate) {
        id = Self.id(of: account, in: commodity, on: date)
        self.account = account.composed
        self.commodity = commodity.composed
        self.date = date
    }

    /// Decodes a statement.
    ///
    /// Names that an earlier version has stored decomposed are composed (Unicode normalization form C).
    ///
    /// - Throws: `DecodingError` if the value isn't a statement.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        account = try container.decode(String.self, forKey: .account).composed
        commodity = try container.decode(String.self, forKey: .commodity).composed
        date = try container.decode(BookDate.self, forKey: .date)
        change = try container.decode(Quantity.self, forKey: .change)
    }

    private enum CodingKeys: CodingKey { case id, account, commodity, date, change }

    /// Returns the identifier of a statement.
    static func id(of account: String, in commodity: String, on date: BookDate) -> String {
        // A commodity contains no quotation mark, so the identifier is unambiguous.
        "\(date) \"\(commodity)\" \(account)"
    }

    /// Adds a booking.
    ///
    /// - Throws: `QuantityError` if the sum has too many digits.
    public func add(_ quantity: Quantity) throws {
        change = try change.adding(quantity)
    }
}

extension EntityIndex<DailyStatement> {
    /// The account.
    public static var account: Self { EntityIndex("account") { $0.account } }

    /// The date.
    public static var date: Self { EntityIndex("date") { $0.date.description } }
}
