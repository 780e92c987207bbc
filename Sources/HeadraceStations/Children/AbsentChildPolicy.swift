// SPDX-License-Identifier: Apache-2.0

/// The rule for an action whose child doesn't exist.
public struct AbsentChildPolicy: Hashable, Sendable {
    enum Kind: Hashable, Sendable { case drop, report }

    let kind: Kind

    /// The action is dropped.
    public static let drop = AbsentChildPolicy(kind: .drop)

    /// The ``PourTask`` throws a ``StationError`` with the code `StationError.Code.childIsGone`.
    public static let report = AbsentChildPolicy(kind: .report)
}

extension AbsentChildPolicy {
    /// The effect of an action of the type `child` if the child is absent.
    @usableFromInline
    func effect<Action: Sendable>(
        for child: Any.Type,
        id: (any Hashable & Sendable)? = nil
    ) -> Effect<Action> {
        kind == .drop ? .none : .fail(StationError.childIsGone(child, id: id))
    }
}
