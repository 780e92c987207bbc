//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a program calls an effect, to cancel it by; it means something only in its station, and there in its node.
@usableFromInline
struct EffectID: Hashable, Sendable {
    let base: any Hashable & Sendable

    /// Whether Headrace itself has given it; two that look alike and are not both its own differ.
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

    /// An id beside this one, for what belongs to it.
    var companion: EffectID { EffectID(self, isInternal: true) }
}

/// Which child of a node it is.
@usableFromInline
struct ChildKey: Hashable, Sendable {
    /// The number of the scope.
    let number: Int

    /// The id of the element, in a collection of children.
    var element: EffectID?

    @usableFromInline
    init(number: Int) {
        self.number = number
    }

    @usableFromInline
    init(number: Int, element: any Hashable & Sendable) {
        self.number = number
        self.element = EffectID(element)
    }
}
