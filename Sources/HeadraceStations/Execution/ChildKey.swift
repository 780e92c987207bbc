// SPDX-License-Identifier: Apache-2.0

/// Identifies a child among the children of a station.
@usableFromInline
struct ChildKey: Hashable, Sendable {
    /// Number of the child's `Scope` in the station, counting from 1.
    let number: Int

    /// Id of the child in its collection; `nil` for a child that isn't in a collection.
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
