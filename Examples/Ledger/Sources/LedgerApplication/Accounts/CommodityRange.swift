// SPDX-License-Identifier: Apache-2.0

public import Headrace
public import LedgerBooks

/// The digits that the amounts of one commodity need on all accounts together.
///
/// The range never shrinks.
///
/// A statement, a register, or a balance adds amounts of several accounts. So whether such a total is representable
/// depends on all accounts. A posting that would widen the range beyond the digits of a total is refused. The range
/// changes only if an account needs a digit more than before, so it is rarely written.
public final class CommodityRange: StoredEntity {
    /// The name of the entity type in the store.
    public static let entityName = "commodity-range"

    /// The events that no unit of work has taken yet.
    public var raisedEvents = RaisedEvents()

    /// The symbol of the commodity.
    public let id: String

    /// The digits that are sufficient for the turnover of every account.
    public private(set) var digits = DigitRange()

    /// Creates the range of a commodity without amounts.
    public init(of commodity: String) {
        id = commodity
    }

    /// Widens the range to include `other`.
    ///
    /// - Returns: Whether totals can have these digits. If not, the range is unchanged.
    func widen(to other: DigitRange) -> Bool {
        let union = digits.union(other)
        if !union.fits { return false }
        digits = union
        return true
    }
}

extension CommodityRange {
    /// Widens the range of the posting's commodity to include `digits`.
    ///
    /// - Throws: `PostingRefusal` with the code `overflow` if totals can't have these digits.
    static func widen(to digits: DigitRange, for posting: Posting, in context: EntityContext) async throws {
        let commodity = posting.amount.commodity
        let range: CommodityRange
        if let known = try await context.find(CommodityRange.self, id: commodity) {
            range = known
        } else {
            range = CommodityRange(of: commodity)
            context.insert(range)
        }
        if !range.widen(to: digits) {
            throw PostingRefusal.beyondTotals(posting.amount, on: posting.account, needing: range.digits.union(digits))
        }
    }
}
