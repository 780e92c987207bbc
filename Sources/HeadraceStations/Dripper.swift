// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// A reducer: it changes the state when an action is poured, and returns the effects of the action.
///
/// ```swift
/// struct Counter: Dripper {
///     @Observable final class State {
///         var count = 0
///     }
///
///     enum Action { case increase, decrease }
///
///     var body: some Dripper<State, Action> {
///         Drip { state, action in
///             switch action {
///             case .increase: state.count += 1
///             case .decrease: state.count -= 1
///             }
///             return .none
///         }
///     }
/// }
/// ```
///
/// The state is a class or a struct. It doesn't need to be `Sendable` because it never leaves the actor of its station.
/// A ``Station`` or an ``ActorStation`` reads ``body`` once, in its initializer.
public protocol Dripper<State, Action> {
    /// The state that the dripper changes, usually a nested type `State`.
    associatedtype State

    /// The events to which the dripper reacts, usually an enumeration.
    associatedtype Action: Sendable

    /// The type of ``body``, which the compiler infers; `Never` for drippers without parts.
    associatedtype Body

    /// The parts of the dripper, which reduce each action one after the other, in this order.
    ///
    /// It can contain any number of parts, and `if`, `switch`, and `for`. Conditions are evaluated once, in the
    /// initializer of the station.
    @DripperBuilder<State, Action> var body: Body { get }
}

extension Dripper where Body == Never {
    /// Never called, because a dripper without a body has no parts.
    public var body: Never {
        preconditionFailure(
            """
            '\(String(naming: Self.self))' has no body. To fix, add a 'body' that contains drippers, such as 'Drip' \
            and 'Scope'.
            """
        )
    }
}

/// A dripper with the state and the action of `D`, as in `var body: some DripperOf<Self>`.
public typealias DripperOf<D: Dripper> = Dripper<D.State, D.Action>

/// A dripper that consists of one reducer closure.
///
/// Other drippers are composed of it.
///
/// ```swift
/// Drip { state, action in
///     state.count += 1
///     return .none
/// }
/// ```
public struct Drip<State, Action: Sendable>: PrimitiveDripper {
    let reduce: (inout State, Action) -> Effect<Action>

    /// Creates a dripper from a reducer.
    ///
    /// - Parameter reduce: Changes the state, and returns an effect. The station calls it on its actor, once for each
    ///   action, serially. It must change nothing but the state. Work that takes time or that reads from outside belongs
    ///   in the effect.
    public init(_ reduce: @escaping (_ state: inout State, _ action: Action) -> Effect<Action>) {
        self.reduce = reduce
    }

    @usableFromInline
    func makeNode(in builder: NodeBuilder) -> DripperNode<State, Action> {
        DripperNode(reduce: reduce)
    }
}

/// A composition of drippers with the same state and action.
///
/// The body of a dripper has this type. Each dripper reduces each action, in order, and sees the changes of the drippers
/// before it. Their effects start together.
public struct Drippers<State, Action: Sendable>: PrimitiveDripper {
    @usableFromInline let parts: [(NodeBuilder) -> DripperNode<State, Action>]
    @usableFromInline let join: ([DripperNode<State, Action>]) -> DripperNode<State, Action>

    /// Creates a composition of a single dripper.
    @inlinable
    public init<D: Dripper>(_ dripper: D) where D.State == State, D.Action == Action {
        parts = [{ builder in builder.makeNode(of: dripper) }]
        join = { DripperNode($0) }
    }

    /// Joins several compositions.
    @inlinable
    public init(_ drippers: [Drippers]) {
        parts = drippers.flatMap(\.parts)
        join = { DripperNode($0) }
    }

    @usableFromInline
    func makeNode(in builder: NodeBuilder) -> DripperNode<State, Action> {
        join(parts.map { $0(builder) })
    }
}

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

extension Dripper {
    /// The same dripper, followed by a reaction to each change of a part of the state.
    ///
    /// ```swift
    /// Drip<State, Action> { state, action in
    ///     switch action {
    ///     case .volumeChanged(let volume): state.volume = volume
    ///     case .saved: state.saveCount += 1
    ///     }
    ///     return .none
    /// }
    /// .onChange(of: \.volume) { state, old, new in
    ///     state.volume = min(new, 10)
    ///     return .send(.saved)
    /// }
    /// ```
    ///
    /// The part is compared before and after each action that this dripper reduces. Changes by other drippers of a body
    /// aren't seen, so put the modifier on a dripper that contains all drippers which change the part.
    ///
    /// If the reaction changes the part itself, it is called again with that change. If the part still changes after 100
    /// calls for one action, the ``PourTask`` throws a ``StationError`` with the code
    /// `StationError.Code.endlessChange`; the state keeps the last value, and the effects of the reaction don't start.
    /// Two reactions to each other don't loop: a reaction sees only the changes of the dripper that it follows.
    ///
    /// - Parameters:
    ///   - value: Returns the part, usually a key path of it. It is called at least twice for each action.
    ///   - react: Changes the state in reaction to the new value, and returns an effect. Like a reducer, it must change nothing
    ///     but the state. The station calls it on its actor.
    /// - Returns: The dripper.
    public func onChange<Value: Equatable>(
        of value: @escaping (_ state: State) -> Value,
        _ react: @escaping (_ state: inout State, _ old: Value, _ new: Value) -> Effect<Action>
    ) -> some Dripper<State, Action> {
        ChangeReaction(base: self, value: value, react: react)
    }
}

/// A dripper with a reaction to the changes of a part of its state.
struct ChangeReaction<Base: Dripper, Value: Equatable>: PrimitiveDripper {
    typealias State = Base.State
    typealias Action = Base.Action

    /// Maximum number of calls of the reaction for one action.
    private static var limit: Int { 100 }

    let base: Base
    let value: (State) -> Value
    let react: (inout State, Value, Value) -> Effect<Action>

    func makeNode(in builder: NodeBuilder) -> DripperNode<State, Action> {
        let node = builder.makeNode(of: base)
        return DripperNode(
            reduce: { state, action in
                let old = value(state)
                var effect = node.reduce(&state, action)
                effect.add(reaction(to: old, &state))
                return effect
            },
            cancelAbsentChildren: node.cancelAbsentChildren,
            declare: node.declare
        )
    }

    /// Calls the reaction until the value no longer changes, and returns its effects.
    private func reaction(to old: Value, _ state: inout State) -> Effect<Action> {
        var effect = Effect<Action>.none
        var old = old
        for _ in 0..<Self.limit {
            let new = value(state)
            if new == old { return effect }
            effect.add(react(&state, old, new))
            old = new
        }
        if value(state) == old { return effect }
        return .fail(StationError.endlessChange(of: Value.self, in: State.self, limit: Self.limit))
    }
}
