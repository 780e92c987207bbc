// SPDX-License-Identifier: Apache-2.0

/// A sorted collection that is made when it is needed, and that follows later changes.
struct SortedOnDemand<Sorted, Element> {
    /// A change of the elements.
    enum Change {
        case insertion(Element)
        case removal(Element)
    }

    /// The elements without the changes in ``changes``; `nil` if nothing has read them in order.
    private var sorted: Sorted?

    /// The changes since the last read in order.
    private var changes: [Change] = []

    /// Maximum number of changes that are noted: beyond it, sorting all elements again is cheaper.
    private static var changeLimit: Int { 100_000 }

    /// Notes a change, unless nothing has read the elements in order.
    mutating func note(_ change: @autoclosure () -> Change) {
        if sorted == nil { return }
        if changes.count < Self.changeLimit {
            changes.append(change())
        } else {
            sorted = nil
            changes = []
        }
    }

    /// Returns the sorted elements.
    ///
    /// - Parameters:
    ///   - sort: Sorts all elements.
    ///   - insert: Inserts an element.
    ///   - remove: Removes an element.
    /// - Returns: All elements, with the changes since the last call.
    mutating func value(
        orElse sort: () -> Sorted,
        insert: (inout Sorted, Element) -> Void,
        remove: (inout Sorted, Element) -> Void
    ) -> Sorted {
        var current = sorted ?? sort()
        // The only reference, so that the changes don't copy the elements.
        sorted = nil
        for change in changes {
            switch change {
            case .insertion(let element): insert(&current, element)
            case .removal(let element): remove(&current, element)
            }
        }
        changes = []
        sorted = current
        return current
    }
}

extension SortedOnDemand.Change: Sendable where Element: Sendable {}
extension SortedOnDemand: Sendable where Sorted: Sendable, Element: Sendable {}
