//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Puts the parts of a body together, in the order in which they stand there.
@resultBuilder
public enum DripperBuilder<State, Action: Sendable> {
    /// Takes a dripper as a part.
    @inlinable
    public static func buildExpression<D: Dripper>(_ dripper: D) -> Drippers<State, Action>
    where D.State == State, D.Action == Action {
        Drippers(dripper)
    }

    /// Takes several drippers, of one type or made before, as parts.
    @inlinable
    public static func buildExpression(_ drippers: Drippers<State, Action>) -> Drippers<State, Action> {
        drippers
    }

    /// Joins the parts.
    @inlinable
    public static func buildBlock(_ parts: Drippers<State, Action>...) -> Drippers<State, Action> {
        Drippers(parts)
    }

    /// Takes what an `if` without `else` contains, or nothing.
    @inlinable
    public static func buildOptional(_ part: Drippers<State, Action>?) -> Drippers<State, Action> {
        part ?? Drippers([])
    }

    /// Takes one branch of an `if` or a `switch`.
    @inlinable
    public static func buildEither(first part: Drippers<State, Action>) -> Drippers<State, Action> {
        part
    }

    /// Takes the other branch.
    @inlinable
    public static func buildEither(second part: Drippers<State, Action>) -> Drippers<State, Action> {
        part
    }

    /// Takes what each round of a `for` has made.
    @inlinable
    public static func buildArray(_ parts: [Drippers<State, Action>]) -> Drippers<State, Action> {
        Drippers(parts)
    }

    /// Takes what only some versions of the system have.
    @inlinable
    public static func buildLimitedAvailability(_ part: Drippers<State, Action>) -> Drippers<State, Action> {
        part
    }
}
