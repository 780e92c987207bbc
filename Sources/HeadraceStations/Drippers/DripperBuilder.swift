// SPDX-License-Identifier: Apache-2.0

/// A result builder that composes the parts of a dripper's body in their order.
@resultBuilder
public enum DripperBuilder<State, Action: Sendable> {
    /// Adds a dripper.
    @inlinable
    public static func buildExpression<D: Dripper>(_ dripper: D) -> Drippers<State, Action>
    where D.State == State, D.Action == Action {
        Drippers(dripper)
    }

    /// Adds drippers that were composed before.
    @inlinable
    public static func buildExpression(_ drippers: Drippers<State, Action>) -> Drippers<State, Action> {
        drippers
    }

    /// Composes the parts.
    @inlinable
    public static func buildBlock(_ parts: Drippers<State, Action>...) -> Drippers<State, Action> {
        Drippers(parts)
    }

    /// Adds the content of an `if` without `else`, if its condition is true.
    @inlinable
    public static func buildOptional(_ part: Drippers<State, Action>?) -> Drippers<State, Action> {
        part ?? Drippers([])
    }

    /// Adds the first branch of an `if` or a `switch`.
    @inlinable
    public static func buildEither(first part: Drippers<State, Action>) -> Drippers<State, Action> {
        part
    }

    /// Adds the second branch of an `if` or a `switch`.
    @inlinable
    public static func buildEither(second part: Drippers<State, Action>) -> Drippers<State, Action> {
        part
    }

    /// Adds the drippers of each iteration of a `for`.
    @inlinable
    public static func buildArray(_ parts: [Drippers<State, Action>]) -> Drippers<State, Action> {
        Drippers(parts)
    }

    /// Adds the content of an `if #available`.
    @inlinable
    public static func buildLimitedAvailability(_ part: Drippers<State, Action>) -> Drippers<State, Action> {
        part
    }
}
