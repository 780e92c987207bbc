//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Maps types to values; built once, then read without a lock.
///
/// The table is open-addressed and keyed by the identity of the metatype, so a lookup neither builds
/// a string nor runs a general-purpose hash: two types that print the same name are two keys.
package struct TypeTable<Value> {
    @usableFromInline
    struct Entry {
        @usableFromInline let key: UInt
        @usableFromInline let value: Value
    }

    @usableFromInline let slots: ContiguousArray<Entry?>
    @usableFromInline let shift: Int
    @usableFromInline let mask: Int

    /// The number of types in the table.
    package let count: Int

    /// Creates a table that maps each type of `pairs` to its value; the last pair of a type wins.
    package init(_ pairs: some Sequence<(ObjectIdentifier, Value)>) {
        var latest: [ObjectIdentifier: Value] = [:]
        for (key, value) in pairs {
            latest[key] = value
        }

        // Half empty at most, so that a run of taken slots stays short.
        let width = max(2, Int.bitWidth - (latest.count * 2).leadingZeroBitCount)
        shift = UInt.bitWidth - width
        mask = (1 << width) - 1
        count = latest.count

        var slots = ContiguousArray<Entry?>(repeating: nil, count: 1 << width)
        for (key, value) in latest {
            let key = UInt(bitPattern: key)
            var index = Self.start(of: key, shift: shift)
            while slots[index] != nil {
                index = (index + 1) & mask
            }
            slots[index] = Entry(key: key, value: value)
        }
        self.slots = slots
    }

    /// The value of `type`, or `nil` where the table has none.
    ///
    /// - Complexity: O(1) in the number of types.
    @inlinable
    package subscript(type: Any.Type) -> Value? {
        self[ObjectIdentifier(type)]
    }

    /// The value of the type with the identity `identifier`, or `nil` where the table has none.
    @inlinable
    package subscript(identifier: ObjectIdentifier) -> Value? {
        let key = UInt(bitPattern: identifier)
        var index = Self.start(of: key, shift: shift)
        while let entry = slots[index] {
            if entry.key == key { return entry.value }
            index = (index + 1) & mask
        }
        return nil
    }

    /// The values, in no particular order.
    package var values: some Sequence<Value> {
        slots.lazy.compactMap { $0?.value }
    }

    /// Spreads the address over the table: the high bits of its product with 2^64 / φ.
    ///
    /// Knuth, The Art of Computer Programming, volume 3, section 6.4 (multiplicative hashing).
    @inlinable
    static func start(of key: UInt, shift: Int) -> Int {
        Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> UInt(truncatingIfNeeded: shift))
    }
}

extension TypeTable: Sendable where Value: Sendable {}
extension TypeTable.Entry: Sendable where Value: Sendable {}
