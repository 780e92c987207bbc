// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Synchronization

/// Objects by type, each made when it is first looked up.
final class TypeCache<Value: AnyObject & Sendable>: Sendable {
    private struct State {
        var table = TypeTable<Value>([])

        /// The objects of the table, and the objects that were made later.
        var all: [ObjectIdentifier: Value] = [:]
    }

    private let state = Mutex(State())

    /// Returns the object of `type`; `make` makes it, and may run more than once.
    func value(of type: Any.Type, orMake make: () -> Value) -> Value {
        let id = ObjectIdentifier(type)
        if let known = state.withLock({ $0.table[id] }) { return known }
        // Outside of the lock, because it may run code of the program.
        let made = make()
        return state.withLock { state in
            if let known = state.all[id] { return known }
            state.all[id] = made
            // A table is immutable. It is made again for twice the number of types, so that this takes little time.
            if state.all.count <= 64 || state.all.count >= 2 * state.table.count {
                state.table = TypeTable(state.all.map { ($0.key, $0.value) })
            }
            return made
        }
    }
}
