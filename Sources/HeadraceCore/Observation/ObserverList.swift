// SPDX-License-Identifier: Apache-2.0

/// The observers of a chain of middleware; at least one.
///
/// It is asked before each message whether an observer listens. A loop over an array would copy each observer and count its
/// references, which costs more than the question. The observers of a linked list stay where they are. The reference to a list
/// has the size of an array, so a chain is no larger.
@usableFromInline
package final class ObserverList: Sendable {
    /// The first observer, and the following ones.
    @usableFromInline let all: [any MessageObserver]

    private let first: any MessageObserver
    private let rest: ObserverList?

    /// Creates a list; `nil` if there are no observers.
    package convenience init?(_ observers: [any MessageObserver]) { self.init(observers[...]) }

    private init?(_ observers: ArraySlice<any MessageObserver>) {
        guard let first = observers.first else { return nil }
        all = Array(observers)
        self.first = first
        rest = ObserverList(observers.dropFirst())
    }

    /// Whether at least one observer is listening.
    @usableFromInline
    var isListening: Bool {
        if first.isListening { return true }
        return rest?.isListening ?? false
    }
}
