// SPDX-License-Identifier: Apache-2.0

/// Remembers the kinds of types, because finding out whether a type is a collection is slow.
///
/// Each type has one slot. Two types with the same slot displace each other, which costs time only.
struct TraitsTable<Collection> {
    /// One type.
    struct Slot {
        var type: ObjectIdentifier?
        var kind: ValueKind = .other

        /// The type as a collection.
        var collection: Collection?
    }

    private var slots = [Slot](repeating: Slot(), count: 256)

    /// Returns the slot of `type`; `collection` returns the type as a collection, if it is one.
    @inline(__always)
    mutating func slot(for type: Any.Type, collection: () -> Collection?) -> Slot {
        let id = ObjectIdentifier(type)
        // The highest bits of the product depend on all bits of the address: Knuth's multiplicative hashing.
        let product = UInt64(truncatingIfNeeded: UInt(bitPattern: id)) &* 0x9E37_79B9_7F4A_7C15
        let index = Int(truncatingIfNeeded: product >> 56)
        let slot = slots[index]
        if slot.type == id { return slot }
        return fill(index, with: type, collection: collection())
    }

    @inline(never)
    private mutating func fill(_ index: Int, with type: Any.Type, collection: Collection?) -> Slot {
        let kind = ValueKind(of: type)
        slots[index] = Slot(
            type: ObjectIdentifier(type),
            kind: kind == .other && collection != nil ? .collection : kind,
            collection: collection
        )
        return slots[index]
    }
}
