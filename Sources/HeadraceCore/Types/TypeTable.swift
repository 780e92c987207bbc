//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// The ID of the table that was made last.
private let lastTableID = Atomic<UInt>(0)

/// Maps types to objects; built once, then read without a lock.
///
/// The table is open-addressed and keyed by the identity of the metatype, so a lookup neither builds
/// a string nor runs a general-purpose hash: two types that print the same name are two keys.
///
/// It is a class of classes for speed. The optimiser does not specialise it in other modules, and code that is
/// generic over classes alone needs no metadata to move its values; a reference to it costs nothing to read.
package final class TypeTable<Value: AnyObject & Sendable>: Sendable {
    /// The identity of the type in each slot, or zero where the slot is free: no type lives at address zero.
    private let keys: ContiguousArray<UInt>

    /// The object in each slot that is taken: a `Value`.
    private let objects: ContiguousArray<(any AnyObject & Sendable)?>

    private let shift: UInt
    private let mask: Int

    /// The number of types in the table.
    package let count: Int

    /// A number that no other table of the process has, counting from 1: unlike an address, it is never used again.
    package let id = lastTableID.wrappingAdd(1, ordering: .relaxed).newValue

    /// Creates a table that maps each type of `pairs` to its value; the last pair of a type wins.
    package init(_ pairs: some Sequence<(ObjectIdentifier, Value)>) {
        var latest: [ObjectIdentifier: Value] = [:]
        for (key, value) in pairs {
            latest[key] = value
        }

        // Half empty at most, so that a run of taken slots stays short.
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

    /// The value of `type`, or `nil` where the table has none.
    ///
    /// - Complexity: O(1) in the number of types.
    package subscript(type: Any.Type) -> Value? {
        self[ObjectIdentifier(type)]
    }

    /// The value of `type` without a reference of its own, for a caller who keeps the table meanwhile.
    ///
    /// Counting references takes longer than the look-up.
    package func unretained(_ type: Any.Type) -> Unmanaged<Value>? {
        guard let index = index(of: ObjectIdentifier(type)), let object = objects[index] else { return nil }
        return unsafe Unmanaged.passUnretained(unsafeDowncast(object, to: Value.self))
    }

    /// The value of the type with the identity `identifier`, or `nil` where the table has none.
    package subscript(identifier: ObjectIdentifier) -> Value? {
        guard let index = index(of: identifier), let object = objects[index] else { return nil }
        return unsafe unsafeDowncast(object, to: Value.self)
    }

    /// The values, in no particular order.
    package var values: [Value] {
        objects.compactMap { $0.map { unsafe unsafeDowncast($0, to: Value.self) } }
    }

    /// The slot of the type with the identity `identifier`, or `nil` where it has none.
    private func index(of identifier: ObjectIdentifier) -> Int? {
        let key = UInt(bitPattern: identifier)
        var index = Self.start(of: key, shift: shift)
        while keys[index] != key {
            if keys[index] == 0 { return nil }
            index = (index + 1) & mask
        }
        return index
    }

    /// Spreads the address over the table: the high bits of its product with 2^64 / φ.
    ///
    /// Knuth, The Art of Computer Programming, volume 3, section 6.4 (multiplicative hashing).
    private static func start(of key: UInt, shift: UInt) -> Int {
        Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) &>> shift)
    }
}
