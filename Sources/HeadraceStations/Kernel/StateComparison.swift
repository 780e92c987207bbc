// SPDX-License-Identifier: Apache-2.0

/// Finds the comparison of two states, once for each station.
enum StateComparison<State> {
    /// Returns a comparison of states that are `Equatable` values.
    ///
    /// `nil` for other values, and for objects, because a station always has the same object.
    static func make() -> ((State, State) -> Bool)? {
        guard !(State.self is AnyObject.Type), let type = State.self as? any Equatable.Type else { return nil }
        return make(type)
    }

    private static func make<Value: Equatable>(_ type: Value.Type) -> ((State, State) -> Bool)? {
        { left, right in
            guard let left = left as? Value, let right = right as? Value else { return false }
            return left == right
        }
    }
}
