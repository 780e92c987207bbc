// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Synchronization

extension Dripper {
    /// The same dripper, with a property that is equal in all stations that share it.
    ///
    /// ```swift
    /// Drip<State, Action> { state, action in
    ///     switch action {
    ///     case .fontSizeChanged(let size): state.settings.fontSize = size
    ///     case .settingsChanged: break
    ///     }
    ///     return .none
    /// }
    /// .sharing(\.settings, with: settings, action: Action.toSettingsChanged)
    /// ```
    ///
    /// An action that changes the property writes the shared value when it was reduced, and an effect of the action waits
    /// until it is saved. If saving fails, the effect fails, and the value in memory is kept. For each change by others, the
    /// station pours the action with the new value. This modifier sets the property, then the dripper reduces the action
    /// too. If the dripper changes the new value, for example to a maximum, that is written. The limits of all stations need a
    /// common value. If they have none, the stations stop after 100 of such changes in a row, and keep different values.
    ///
    /// When the station or the child with the property is created, the shared value wins. Put `shared.value` in the initial
    /// state, so that no action is needed. If the property and the shared value change at the same time, the merge rule of
    /// the ``SharedState`` decides.
    ///
    /// All drippers of the station or of the child can change the property. If a parent changes the property of its child, for
    /// example because it replaces the state of the child, the child receives the shared value again.
    ///
    /// A modifier after this modifier sees the new values as changes, and a modifier before it doesn't. So put
    /// ``Dripper/onChange(of:_:)`` after it.
    ///
    /// - Parameters:
    ///   - property: Key path of the property.
    ///   - shared: The shared value.
    ///   - action: The case of the action that brings a new value.
    /// - Returns: The dripper.
    public func sharing<Value: Equatable & Sendable>(
        _ property: WritableKeyPath<State, Value>,
        with shared: SharedState<Value>,
        action: Case<Action, Value>
    ) -> some Dripper<State, Action> {
        SharingDripper(base: self, property: property, shared: shared, action: action)
    }
}

/// A dripper with a property that a shared state keeps equal.
struct SharingDripper<Base: Dripper, Value: Equatable & Sendable>: PrimitiveDripper {
    typealias State = Base.State
    typealias Action = Base.Action

    let base: Base
    let property: WritableKeyPath<State, Value>
    let shared: SharedState<Value>
    let action: Case<Action, Value>

    func makeNode(in builder: NodeBuilder) -> DripperNode<State, Action> {
        let node = builder.makeNode(of: base)
        let key = SubscriptionKey(number: builder.makeNumber(), id: EffectID("shared \(String(naming: Value.self))"))
        builder.addLevelModifier { writing($0, key) }
        return DripperNode(
            reduce: { state, given in
                if let value = action.extract(given) { state[keyPath: property] = value }
                return node.reduce(&state, given)
            },
            cancelAbsentChildren: node.cancelAbsentChildren,
            declare: { state in
                (node.declare?(state) ?? []) + [declaration(key, state[keyPath: property])]
            }
        )
    }

    /// Returns the node of all drippers of the station or of the child, which also writes their changes of the property.
    private func writing(_ node: DripperNode<State, Action>, _ key: SubscriptionKey) -> DripperNode<State, Action> {
        DripperNode(
            reduce: { state, given in
                let old = state[keyPath: property]
                var effect = node.reduce(&state, given)
                let new = state[keyPath: property]
                let brought = action.extract(given)
                if new != old || brought.map({ $0 != new }) ?? false {
                    effect.add(change(key, from: old, to: new, brought: brought))
                }
                return effect
            },
            cancelAbsentChildren: node.cancelAbsentChildren,
            declare: node.declare
        )
    }

    private func change(
        _ key: SubscriptionKey,
        from old: Value,
        to new: Value,
        brought: Value?
    ) -> Effect<Action> {
        let shared = shared
        let change = SharedChange(key: key) { link, executor in
            if let link = link as? SharedLink<Value> {
                if !link.write(new, insteadOf: old, brought: brought) { return nil }
            } else {
                shared.write(new, insteadOf: old)
            }
            return shared.beginSave(on: executor)
        }
        return Effect(.share(change))
    }

    private func declaration(_ key: SubscriptionKey, _ value: Value) -> DeclaredSubscription<Action> {
        DeclaredSubscription(
            key: key,
            isImplicit: true,
            begin: {
                let link = SharedLink(shared, known: value)
                let embed = action.embed
                let effect = Effect<Action>.run { pour in
                    for await _ in link.changes {
                        guard let value = link.takeIncoming() else { continue }
                        pour(embed(value))
                        link.endIncoming()
                    }
                }
                return SubscriptionStart(effect: effect, object: link, first: link.takeIncoming().map(embed))
            },
            update: { link in
                guard let link = link as? SharedLink<Value> else { return (.none, nil) }
                switch link.check(value) {
                case .equal: return (.none, nil)
                case .overwritten(let shared): return (.none, action.embed(shared))
                case .refused(let base): return (change(key, from: base, to: value, brought: base), nil)
                }
            }
        )
    }
}

/// Keeps a property of one station and a shared state equal.
///
/// Its methods are called on the actor of the station.
final class SharedLink<Value: Equatable & Sendable>: Sendable {
    private struct Content {
        /// The value that the property had last.
        var known: Value

        /// The shared value that an action is bringing to the station; `nil` if there is no such action.
        var incoming: Value?

        /// Whether the current action has brought the shared value.
        var hasReceived = false

        /// Number of received values that the station has changed, one soon after the other.
        var answerCount = 0

        /// The instant of the last of these changes.
        var lastAnswer: ContinuousClock.Instant?

        /// Counts a change of a received value, and returns whether it may be written.
        ///
        /// Two stations that each change the value of the other one would do so for ever.
        mutating func mayAnswer(at now: ContinuousClock.Instant) -> Bool {
            if let lastAnswer, lastAnswer.duration(to: now) < .seconds(1) { answerCount += 1 } else { answerCount = 1 }
            lastAnswer = now
            return answerCount <= SharedLink.answerLimit
        }
    }

    /// Maximum number of changes of received values with less than a second between two of them.
    private static var answerLimit: Int { 100 }

    let changes: AsyncStream<Void>
    private let shared: SharedState<Value>
    private let content: Mutex<Content>

    init(_ shared: SharedState<Value>, known: Value) {
        self.shared = shared
        content = Mutex(Content(known: known))
        changes = shared.changes()
    }

    /// Returns the shared value if the property has another value.
    func takeIncoming() -> Value? {
        let value = shared.value
        return content.withLock { content in
            if value == content.known { return nil }
            content.incoming = value
            return value
        }
    }

    /// Forgets the value that an action has brought, because the action was reduced or refused.
    func endIncoming() {
        content.withLock { $0.incoming = nil }
    }

    /// Writes the value of the property after an action that has changed it or has brought it.
    ///
    /// - Parameters:
    ///   - new: The value after the action.
    ///   - old: The value before the action.
    ///   - brought: The value in the action; `nil` if the action has none.
    /// - Returns: Whether the station has changed the value, and the change was written.
    func write(_ new: Value, insteadOf old: Value, brought: Value?) -> Bool {
        let now = CurrentClock().now
        let base: Value? = content.withLock { content in
            let received = brought.flatMap { $0 == content.incoming ? $0 : nil }
            content.known = new
            content.incoming = nil
            content.hasReceived = received != nil
            if let received {
                return received == new || content.mayAnswer(at: now) ? received : nil
            }
            if brought == nil { content.answerCount = 0 }
            return old
        }
        guard let base, base != new else { return false }
        shared.write(new, insteadOf: base)
        return true
    }

    /// Compares the property after each action with the value that its drippers have left.
    ///
    /// Only the parent changes it otherwise, usually by another state of the child. So the shared value wins. If the parent
    /// refuses the shared value too, the value of the parent wins, so that the two don't alternate for ever.
    func check(_ value: Value) -> SharedCheck<Value> {
        let now = CurrentClock().now
        let (known, hadReceived, mayAnswer) = content.withLock { content in
            defer {
                content.known = value
                content.hasReceived = false
            }
            let isAnswer = content.hasReceived && content.known != value
            return (content.known, content.hasReceived, isAnswer && content.mayAnswer(at: now))
        }
        if value == known { return .equal }
        if hadReceived { return mayAnswer ? .refused(base: known) : .equal }
        return takeIncoming().map { .overwritten(by: $0) } ?? .equal
    }
}

/// The comparison of a property with a shared value after an action.
enum SharedCheck<Value> {
    /// The property needs no change.
    case equal

    /// The property must receive the shared value.
    case overwritten(by: Value)

    /// The parent has changed the shared value `base` that the property has received.
    case refused(base: Value)
}

/// A change of a property that a shared state keeps equal.
@usableFromInline
struct SharedChange: Sendable {
    /// The key of the subscription that keeps the property equal, within the child that has returned the effect.
    let key: SubscriptionKey

    /// Writes the shared value on the actor of the station, and returns the save that stores it; `nil` if it needn't be
    /// stored.
    ///
    /// The first argument is the object of the subscription; `nil` if the subscription hasn't begun. The second argument
    /// is the executor for the save; `nil` for the default executor.
    let write: @Sendable (AnyObject?, (any TaskExecutor)?) -> OneShot<Result<Void, any Error>>?
}
