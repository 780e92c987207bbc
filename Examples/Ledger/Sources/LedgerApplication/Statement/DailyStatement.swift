//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace
public import LedgerBooks

/// By how much an account has moved on one day in one commodity.
///
/// The movement and not the balance is kept: a transaction of a day long past changes one statement, not all that follow.
public final class DailyStatement: StoredEntity {
    /// The name under which the entities are stored.
    public static let entityName = "daily-statement"

    /// Since version 2, the names of accounts in the index are composed.
    public static let schemaVersion = 2

    /// What the entities are fetched by.
    public static var indexes: [EntityIndex<DailyStatement>] { [.account, .date] }

    /// What has happened to the entity and was not handled yet.
    public var raisedEvents = RaisedEvents()

    /// The day, the commodity and the account.
    public let id: String

    /// The full name of the account.
    public let account: String

    /// The commodity.
    public let commodity: String

    /// The day.
    public let date: BookDate

    /// What was booked on the day.
    public private(set) var change = Quantity.zero

    /// Begins the statement of a day on which nothing was booked yet.
    public init(of account: String, in commodity: String, on date: BookDate) {
        id = Self.id(of: account, in: commodity, on: date)
        self.account = account.composed
        self.commodity = commodity.composed
        self.date = date
    }

    /// Decodes a statement; its names are composed, also if an earlier version has stored others.
    ///
    /// - Throws: `DecodingError` when the value isn't a statement.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        account = try container.decode(String.self, forKey: .account).composed
        commodity = try container.decode(String.self, forKey: .commodity).composed
        date = try container.decode(BookDate.self, forKey: .date)
        change = try container.decode(Quantity.self, forKey: .change)
    }

    private enum CodingKeys: CodingKey { case id, account, commodity, date, change }

    /// Gives the identifier of a statement.
    static func id(of account: String, in commodity: String, on date: BookDate) -> String {
        // A quotation mark is in no commodity, so it parts the two for certain.
        "\(date) \"\(commodity)\" \(account)"
    }

    /// Adds what was booked.
    ///
    /// - Throws: `QuantityError` where the sum has more digits than can be kept.
    public func add(_ quantity: Quantity) throws {
        change = try change.adding(quantity)
    }
}

extension EntityIndex<DailyStatement> {
    /// The account.
    public static var account: Self { EntityIndex("account") { $0.account } }

    /// The day.
    public static var date: Self { EntityIndex("date") { $0.date.description } }
}
