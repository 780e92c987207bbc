// SPDX-License-Identifier: Apache-2.0

/// A dripper that declares which effects run in which state.
///
/// ```swift
/// var body: some Dripper<State, Action> {
///     Drip { state, action in
///         switch action {
///         case .isShownChanged(let isShown): state.isShown = isShown
///         case .roomChanged(let room): state.room = room
///         case .tick: state.seconds += 1
///         case .received(let message): state.messages.append(message)
///         }
///         return .none
///     }
///     StateSubscriptions { state in
///         if state.isShown { StateSubscription("clock", .timer(every: .seconds(1)) { .tick }) }
///         if let room = state.room {
///             StateSubscription(
///                 room,
///                 .run { pour in
///                     for await message in messages(room) { pour(.received(message)) }
///                 })
///         }
///     }
/// }
/// ```
///
/// After each action, the station compares the declared subscriptions with the running subscriptions by their ids. It
/// cancels the effects that are no longer declared, then starts the new effects. The subscriptions of the initial state
/// start when the station is created.
///
/// - A subscription ends only with the state: it doesn't belong to the ``PourTask`` of an action, and no
///   ``Effect/cancel(id:)`` cancels it.
/// - A subscription whose effect has ended or failed isn't started again until the state stops declaring it and declares
///   it anew. A failure is reported to the observers of the station.
/// - The end of a subscription cancels its effect. It doesn't cancel the actions that the effect has poured, nor their effects.
///   So an action can end its own subscription and return an effect.
/// - Subscriptions of a child end when the child is removed.
/// - Two subscriptions of one `StateSubscriptions` with the same id are one subscription: the first.
/// - A subscription that the initial state starts has no action as its cause, so it doesn't pass through middleware.
///
/// Stations whose drippers declare no subscriptions have no cost. The others evaluate all declarations after each action,
/// also the declarations of all children.
public struct StateSubscriptions<State, Action: Sendable>: PrimitiveDripper {
    let declare: (State) -> [StateSubscription<Action>]

    /// Creates a declaration.
    ///
    /// - Parameter declare: Returns the subscriptions of a state. The station calls it on its actor after each action, so it
    ///   must be fast, and it must depend only on the state.
    public init(@StateSubscriptionBuilder<Action> _ declare: @escaping (_ state: State) -> [StateSubscription<Action>])
    {
        self.declare = declare
    }

    @usableFromInline
    func makeNode(in builder: NodeBuilder) -> DripperNode<State, Action> {
        let number = builder.makeNumber()
        return DripperNode(
            reduce: { _, _ in .none },
            declare: { state in
                declare(state).map { subscription in
                    DeclaredSubscription(
                        key: SubscriptionKey(number: number, id: subscription.id),
                        begin: { SubscriptionStart(effect: subscription.effect) },
                        update: nil
                    )
                }
            }
        )
    }
}

/// An effect that runs as long as the state declares it; see ``StateSubscriptions``.
public struct StateSubscription<Action: Sendable>: Sendable {
    let id: EffectID
    let effect: Effect<Action>

    /// Creates a subscription.
    ///
    /// - Parameters:
    ///   - id: The identity of the subscription within its ``StateSubscriptions``. A subscription with another id is another
    ///     subscription, so put all values of the state that the effect uses into the id.
    ///   - effect: The effect. Its own ids, such as the id of a `debounce`, are valid only within the subscription.
    public init(_ id: some Hashable & Sendable, _ effect: Effect<Action>) {
        self.id = EffectID(id)
        self.effect = effect
    }
}

/// Collects the subscriptions of a state.
@resultBuilder
public enum StateSubscriptionBuilder<Action: Sendable> {
    /// Adds a subscription.
    public static func buildExpression(_ subscription: StateSubscription<Action>) -> [StateSubscription<Action>] {
        [subscription]
    }

    /// Adds subscriptions.
    public static func buildExpression(_ subscriptions: [StateSubscription<Action>]) -> [StateSubscription<Action>] {
        subscriptions
    }

    /// Joins the parts.
    public static func buildBlock(_ parts: [StateSubscription<Action>]...) -> [StateSubscription<Action>] {
        parts.flatMap(\.self)
    }

    /// Adds the content of an `if` without `else`, if its condition is true.
    public static func buildOptional(_ part: [StateSubscription<Action>]?) -> [StateSubscription<Action>] { part ?? [] }

    /// Adds the first branch of an `if` or a `switch`.
    public static func buildEither(first part: [StateSubscription<Action>]) -> [StateSubscription<Action>] { part }

    /// Adds the second branch of an `if` or a `switch`.
    public static func buildEither(second part: [StateSubscription<Action>]) -> [StateSubscription<Action>] { part }

    /// Adds the subscriptions of each iteration of a `for`.
    public static func buildArray(_ parts: [[StateSubscription<Action>]]) -> [StateSubscription<Action>] {
        parts.flatMap(\.self)
    }

    /// Adds the content of an `if #available`.
    public static func buildLimitedAvailability(_ part: [StateSubscription<Action>]) -> [StateSubscription<Action>] {
        part
    }
}
