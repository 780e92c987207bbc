//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The id of an effect: a value of any hashable type.
@usableFromInline
struct EffectID: Hashable, Sendable {
    let base: any Hashable & Sendable

    /// Whether Headrace has created the id.
    ///
    /// Such an id never equals an id of the program.
    private let isInternal: Bool

    init(_ base: any Hashable & Sendable, isInternal: Bool = false) {
        self.base = base
        self.isInternal = isInternal
    }

    @usableFromInline
    static func == (left: EffectID, right: EffectID) -> Bool {
        left.isInternal == right.isInternal && AnyHashable(left.base) == AnyHashable(right.base)
    }

    @usableFromInline
    func hash(into hasher: inout Hasher) {
        hasher.combine(AnyHashable(base))
    }

    /// An internal id for work that belongs to the effects with this id, such as the delay of a throttled effect.
    var companion: EffectID { EffectID(self, isInternal: true) }
}
