// SPDX-License-Identifier: Apache-2.0

/// Sums by key, in the order of the first occurrences of the keys.
struct CommodityTotals<Key: Hashable> {
    private(set) var keys: [Key] = []
    private(set) var sums: [Quantity] = []
    private var positions: [Key: Int] = [:]

    /// Maximum number of entries for a linear search, which is faster than hashing for few entries.
    private static var linearLimit: Int { 8 }

    /// Adds `quantity` to the sum of `key`.
    ///
    /// - Complexity: O(1) on average.
    mutating func add(_ quantity: Quantity, to key: Key) throws {
        if let position = position(of: key) {
            sums[position] = try sums[position].adding(quantity)
            return
        }
        keys.append(key)
        sums.append(quantity)
        if keys.count > Self.linearLimit {
            if positions.isEmpty {
                for (position, key) in keys.enumerated() { positions[key] = position }
            } else {
                positions[key] = keys.count - 1
            }
        }
    }

    /// The sum of `key`; `nil` if no quantity was added.
    subscript(key: Key) -> Quantity? {
        position(of: key).map { sums[$0] }
    }

    private func position(of key: Key) -> Int? {
        keys.count > Self.linearLimit ? positions[key] : keys.firstIndex(of: key)
    }
}

extension CommodityTotals<String> {
    /// The sums that aren't zero, as amounts.
    var nonzero: [Amount] {
        zip(keys, sums).lazy.filter { !$1.isZero }.map { Amount($1, $0) }
    }
}
