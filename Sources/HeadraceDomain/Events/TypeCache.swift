// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Values by type, each made when it is first looked up.
final class TypeCache<Value: Sendable>: Sendable {
    private let values = Mutex<[ObjectIdentifier: Value]>([:])

    /// Returns the value of `type`; `make` makes it, and may run more than once.
    func value(of type: Any.Type, orMake make: () -> Value) -> Value {
        let id = ObjectIdentifier(type)
        if let known = values.withLock({ $0[id] }) { return known }
        // Outside of the lock, because it may run code of the program.
        let made = make()
        return values.withLock { values in
            if let known = values[id] { return known }
            values[id] = made
            return made
        }
    }
}
