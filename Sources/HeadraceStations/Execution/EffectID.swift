// SPDX-License-Identifier: Apache-2.0

/// The id of an effect: a value of any hashable type.
@usableFromInline
struct EffectID: Hashable, Sendable {
    let base: any Hashable & Sendable

    init(_ base: any Hashable & Sendable) {
        self.base = base
    }

    @usableFromInline
    static func == (left: EffectID, right: EffectID) -> Bool {
        AnyHashable(left.base) == AnyHashable(right.base)
    }

    @usableFromInline
    func hash(into hasher: inout Hasher) {
        hasher.combine(AnyHashable(base))
    }
}
