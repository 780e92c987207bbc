// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// ID of the latest table.
private let lastTableID = Atomic<UInt>(0)

/// An immutable table that maps types to objects, read without a lock.
///
/// The table uses open addressing, with the identity of the metatype as the key. A lookup builds no string and runs no
/// general-purpose hash. Two types with the same printed name are distinct keys.
///
/// For speed, both the table and its values are classes: the optimizer doesn't specialize the table in other modules,
/// and code that is generic over classes needs no metadata to copy its values.
package final class TypeTable<Value: AnyObject & Sendable>: Sendable {
    /// Identity of the type in each slot; zero if the slot is free, because no type has the address zero.
    private let keys: ContiguousArray<UInt>

    /// The object in each occupied slot, always a `Value`.
    let objects: ContiguousArray<(any AnyObject & Sendable)?>

    private let shift: UInt
    private let mask: Int

    /// Number of types in the table.
    package let count: Int

    /// Unique ID of the table in the process, counting from 1.
    ///
    /// Unlike an address, it is never reused.
    package let id = lastTableID.wrappingAdd(1, ordering: .relaxed).newValue

    /// Creates a table from pairs of types and values.
    ///
    /// If a type occurs more than once, the last pair counts.
    package init(_ pairs: some Sequence<(ObjectIdentifier, Value)>) {
        var latest: [ObjectIdentifier: Value] = [:]
        for (key, value) in pairs {
            latest[key] = value
        }

        // At most half full, so that runs of occupied slots stay short.
        let width = max(2, Int.bitWidth - (latest.count * 2).leadingZeroBitCount)
        shift = UInt(UInt.bitWidth - width)
        mask = (1 << width) - 1
        count = latest.count

        var keys = ContiguousArray<UInt>(repeating: 0, count: 1 << width)
        var objects = ContiguousArray<(any AnyObject & Sendable)?>(repeating: nil, count: 1 << width)
        for (key, value) in latest {
            let key = UInt(bitPattern: key)
            var index = Self.start(of: key, shift: shift)
            while keys[index] != 0 {
                index = (index + 1) & mask
            }
            keys[index] = key
            objects[index] = value
        }
        self.keys = keys
        self.objects = objects
    }

    /// The value of `type`; `nil` if the table doesn't contain the type.
    ///
    /// - Complexity: O(1) in the number of types.
    package subscript(type: Any.Type) -> Value? {
        self[ObjectIdentifier(type)]
    }

    /// Index of the slot of the type with the identity `identifier`; `nil` if the table doesn't contain the type.
    func index(of identifier: ObjectIdentifier) -> Int? {
        let key = UInt(bitPattern: identifier)
        var index = Self.start(of: key, shift: shift)
        while keys[index] != key {
            if keys[index] == 0 { return nil }
            index = (index + 1) & mask
        }
        return index
    }

    /// Returns the first slot to search: the high bits of the product of the address with 2^64 / φ.
    ///
    /// Knuth, The Art of Computer Programming, volume 3, section 6.4 (multiplicative hashing).
    private static func start(of key: UInt, shift: UInt) -> Int {
        Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) &>> shift)
    }
}
