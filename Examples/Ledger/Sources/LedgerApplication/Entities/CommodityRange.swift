//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Headrace
public import LedgerBooks

/// How many digits the accounts need for the amounts of one commodity; it only ever grows.
///
/// A statement, a register, or a balance adds up amounts of many accounts. Whether such a total fits depends on all of
/// them, so the books keep the range of each commodity, and refuse a posting that would widen it beyond what totals
/// hold. An account changes it only when the account itself needs a digit more than before, so it is rarely written.
public final class CommodityRange: StoredEntity {
    /// The name under which the entities are stored.
    public static let entityName = "commodity-range"

    /// Events that were raised and not handled yet.
    public var raisedEvents = RaisedEvents()

    /// The symbol of the commodity.
    public let id: String

    /// The digits that the turnover of every account fits in.
    public private(set) var digits = DigitRange()

    /// Creates the range of a commodity that has no amounts.
    public init(of commodity: String) {
        id = commodity
    }

    /// Widens the range to cover `other`; does nothing if it does already.
    ///
    /// - Returns: Whether totals hold all amounts of the range. If not, the range is unchanged.
    func widen(to other: DigitRange) -> Bool {
        let union = digits.union(other)
        if !union.fits { return false }
        digits = union
        return true
    }
}
