// SPDX-License-Identifier: Apache-2.0

/// Embeds the dripper of a child in the dripper of its parent.
///
/// The state and the actions of the child are parts of the parent's state and actions.
///
/// ```swift
/// struct Parent: Dripper {
///     @Observable final class State {
///         var counter = Counter.State()
///     }
///
///     enum Action {
///         case counter(Counter.Action)
///
///         static let toCounter = Case(Action.counter) { if case .counter(let action) = $0 { action } else { nil } }
///     }
///
///     var body: some Dripper<State, Action> {
///         Scope(state: \.counter, action: Action.toCounter) { Counter() }
///     }
/// }
/// ```
///
/// A parent observes the actions of a child by matching them, as in `case .counter(.increase)`. Ids of effects are valid
/// only within the child that returns the effects. When a child is removed, its effects are cancelled.
public struct Scope<State, Action: Sendable>: PrimitiveDripper {
    @usableFromInline let make: (NodeBuilder) -> DripperNode<State, Action>

    /// Creates a scope of a child that always exists.
    ///
    /// - Parameters:
    ///   - state: Key path of the child's state.
    ///   - action: The case that holds the child's actions.
    ///   - child: The child's drippers.
    @inlinable
    public init<ChildState, ChildAction: Sendable>(
        state: WritableKeyPath<State, ChildState>,
        action: Case<Action, ChildAction>,
        @DripperBuilder<ChildState, ChildAction> child: () -> Drippers<ChildState, ChildAction>
    ) {
        if let property = PropertyOffset(state) {
            self.init(action, child(), read: { $0[keyPath: state] }) { whole, body in property.modify(&whole, body) }
        } else {
            self.init(action, child(), read: { $0[keyPath: state] }) { whole, body in body(&whole[keyPath: state]) }
        }
    }

    /// Creates a scope of a child that always exists, and whose state is an object that is never replaced.
    @inlinable @_disfavoredOverload
    public init<ChildState: AnyObject, ChildAction: Sendable>(
        state: KeyPath<State, ChildState>,
        action: Case<Action, ChildAction>,
        @DripperBuilder<ChildState, ChildAction> child: () -> Drippers<ChildState, ChildAction>
    ) {
        self.init(action, child(), read: { $0[keyPath: state] }) { whole, body in
            var part = whole[keyPath: state]
            body(&part)
        }
    }

    /// Creates a scope of a child that exists while its state isn't `nil`.
    ///
    /// - Parameters:
    ///   - state: Key path of the child's state.
    ///   - action: The case that holds the child's actions.
    ///   - absent: The rule for an action while the child doesn't exist.
    ///   - child: The child's drippers.
    @inlinable
    public init<ChildState, ChildAction: Sendable>(
        optional state: WritableKeyPath<State, ChildState?>,
        action: Case<Action, ChildAction>,
        absent: AbsentChildPolicy = .report,
        @DripperBuilder<ChildState, ChildAction> child: () -> Drippers<ChildState, ChildAction>
    ) {
        self.init(action, child(), absent: absent, read: { $0[keyPath: state] }) { whole, body in
            // Checked first because writing to an absent child would notify its observers.
            if whole[keyPath: state] != nil { whole[keyPath: state].modify(body) }
        }
    }

    /// Creates a scope of a child that exists while an enumeration has a certain case.
    ///
    /// - Parameters:
    ///   - state: Key path of the enumeration: `\.self` if the whole state is the enumeration.
    ///   - case: The case that holds the child's state.
    ///   - action: The case that holds the child's actions.
    ///   - absent: The rule for an action while the enumeration has another case.
    ///   - child: The child's drippers.
    @inlinable
    public init<Sum, ChildState, ChildAction: Sendable>(
        state: WritableKeyPath<State, Sum>,
        case: Case<Sum, ChildState>,
        action: Case<Action, ChildAction>,
        absent: AbsentChildPolicy = .report,
        @DripperBuilder<ChildState, ChildAction> child: () -> Drippers<ChildState, ChildAction>
    ) {
        self.init(
            action, child(), absent: absent, read: { `case`.extract($0[keyPath: state]) }
        ) { whole, body in
            guard var part = `case`.extract(whole[keyPath: state]) else { return }
            body(&part)
            whole[keyPath: state] = `case`.embed(part)
        }
    }

    /// Creates a scope of any number of children with ids.
    ///
    /// Finding a child takes constant time.
    ///
    /// - Parameters:
    ///   - children: Key path of the collection of the children's states.
    ///   - action: The case that holds a child's id and its action.
    ///   - absent: The rule for an action whose child doesn't exist.
    ///   - child: The drippers of each child.
    @inlinable
    public init<Many: ChildCollection, ChildAction: Sendable>(
        each children: WritableKeyPath<State, Many>,
        action: Case<Action, (Many.ID, ChildAction)>,
        absent: AbsentChildPolicy = .report,
        @DripperBuilder<Many.Child, ChildAction> child: () -> Drippers<Many.Child, ChildAction>
    ) where Many.ID: Sendable {
        let child = child()
        make = { builder in
            let node = builder.makeLevel(of: child)
            let number = builder.makeNumber()
            let embed = action.embed
            return DripperNode(
                reduce: { whole, given in
                    guard let (id, given) = action.extract(given) else { return .none }
                    let effect = whole[keyPath: children].modify(id: id) { node.reduce(&$0, given) }
                    guard let effect else {
                        return absent.effect(for: ChildAction.self, id: id)
                    }
                    if effect.isNone { return .none }
                    return effect.map { embed((id, $0)) }
                        .within(ChildKey(number: number, element: id))
                },
                cancelAbsentChildren: Self.cancelAbsent(children, number, node.cancelAbsentChildren),
                declare: Self.declareEach(children, number, node.declare, embed)
            )
        }
    }

    /// Creates a scope of one child.
    ///
    /// `read` returns the child's state, and `modify` calls its closure with it, if the child exists.
    @inlinable
    init<ChildState, ChildAction: Sendable>(
        _ action: Case<Action, ChildAction>,
        _ child: Drippers<ChildState, ChildAction>,
        absent: AbsentChildPolicy? = nil,
        read: @escaping (State) -> ChildState?,
        modify: @escaping (inout State, (inout ChildState) -> Void) -> Void
    ) {
        make = { builder in
            let node = builder.makeLevel(of: child)
            let key = ChildKey(number: builder.makeNumber())
            let embed = action.embed
            return DripperNode(
                reduce: { whole, given in
                    guard let given = action.extract(given) else { return .none }
                    var effect: Effect<ChildAction>?
                    modify(&whole) { part in effect = node.reduce(&part, given) }
                    guard let effect else { return (absent ?? .drop).effect(for: ChildAction.self) }
                    if effect.isNone { return .none }
                    return effect.map(embed).within(key)
                },
                cancelAbsentChildren: Self.cancelIfAbsent(
                    key, canBeAbsent: absent != nil, node.cancelAbsentChildren, modify),
                declare: Self.declare(key, node.declare, embed, read)
            )
        }
    }

    @usableFromInline
    func makeNode(in builder: NodeBuilder) -> DripperNode<State, Action> {
        make(builder)
    }
}

extension Scope {
    /// Returns a function that cancels the effects of children that were removed from `children`.
    @usableFromInline
    static func cancelAbsent<Many: ChildCollection>(
        _ children: WritableKeyPath<State, Many>,
        _ number: Int,
        _ cancelNested: ((inout Many.Child, EffectNamespace) -> Void)?
    ) -> (inout State, EffectNamespace) -> Void where Many.ID: Sendable {
        { whole, namespace in
            let count = whole[keyPath: children].removalCount
            if cancelNested == nil, let count, namespace.removalCounts[number] == count { return }
            namespace.removalCounts[number] = count
            for (key, childNamespace) in namespace.orderedChildren where key.number == number {
                guard let id = key.element?.base as? Many.ID else { continue }
                if !whole[keyPath: children].contains(id: id) {
                    childNamespace.cancelAll()
                } else if let cancelNested {
                    _ = whole[keyPath: children].modify(id: id) { cancelNested(&$0, childNamespace) }
                }
            }
        }
    }

    /// Returns a function that cancels the effects of a child that no longer exists, and of its absent children.
    ///
    /// `nil` if neither can be absent.
    @usableFromInline
    static func cancelIfAbsent<ChildState>(
        _ key: ChildKey,
        canBeAbsent: Bool,
        _ cancelNested: ((inout ChildState, EffectNamespace) -> Void)?,
        _ modify: @escaping (inout State, (inout ChildState) -> Void) -> Void
    ) -> ((inout State, EffectNamespace) -> Void)? {
        if !canBeAbsent, cancelNested == nil { return nil }
        return { whole, namespace in
            guard let childNamespace = namespace.children[key] else { return }
            var isPresent = false
            modify(&whole) { part in
                isPresent = true
                cancelNested?(&part, childNamespace)
            }
            if !isPresent { childNamespace.cancelAll() }
        }
    }
}

extension Scope {
    /// Returns a function that declares the subscriptions of a child; `nil` if the child can't have any.
    @usableFromInline
    static func declare<ChildState, ChildAction: Sendable>(
        _ key: ChildKey,
        _ declareChild: ((ChildState) -> [DeclaredSubscription<ChildAction>])?,
        _ embed: @escaping @Sendable (ChildAction) -> Action,
        _ read: @escaping (State) -> ChildState?
    ) -> ((State) -> [DeclaredSubscription<Action>])? {
        guard let declareChild else { return nil }
        return { whole in
            guard let child = read(whole) else { return [] }
            return declareChild(child).map { $0.within(key, embed) }
        }
    }

    /// Returns a function that declares the subscriptions of each of `children`; `nil` if they can't have any.
    @usableFromInline
    static func declareEach<Many: ChildCollection, ChildAction: Sendable>(
        _ children: WritableKeyPath<State, Many>,
        _ number: Int,
        _ declareChild: ((Many.Child) -> [DeclaredSubscription<ChildAction>])?,
        _ embed: @escaping @Sendable ((Many.ID, ChildAction)) -> Action
    ) -> ((State) -> [DeclaredSubscription<Action>])? where Many.ID: Sendable {
        guard let declareChild else { return nil }
        return { whole in
            var declared: [DeclaredSubscription<Action>] = []
            whole[keyPath: children].forEachChild { id, child in
                let key = ChildKey(number: number, element: id)
                declared += declareChild(child).map { $0.within(key) { embed((id, $0)) } }
            }
            return declared
        }
    }
}

extension Optional {
    /// Changes the wrapped value in place.
    @inlinable
    mutating func modify(_ body: (inout Wrapped) -> Void) {
        guard var wrapped = take() else { return }
        body(&wrapped)
        self = wrapped
    }
}

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

/// A case of an enumeration, with functions that embed a value in it and extract the value.
///
/// ```swift
/// enum Action {
///     case counter(Counter.Action)
/// }
///
/// let counter = Case(Action.counter) { if case .counter(let action) = $0 { action } else { nil } }
/// ```
///
/// The macro `@Cases` of `HeadraceMacros` writes the cases of an enumeration.
public struct Case<Root, Value>: Sendable {
    @usableFromInline let embed: @Sendable (Value) -> Root
    @usableFromInline let extract: @Sendable (Root) -> Value?

    /// Creates it from the constructor of the case and a function that matches the case.
    ///
    /// - Parameters:
    ///   - embed: Makes a root from a value. Usually the name of the case, such as `Action.counter`.
    ///   - extract: Returns the value if the root is this case; otherwise `nil`.
    public init(_ embed: @escaping @Sendable (Value) -> Root, extract: @escaping @Sendable (Root) -> Value?) {
        self.embed = embed
        self.extract = extract
    }

    /// Returns the value if `root` is this case; otherwise `nil`.
    public func value(in root: Root) -> Value? { extract(root) }

    /// Creates it for a case with two associated values, such as the id of a child and its action.
    public init<First, Second>(
        _ embed: @escaping @Sendable (First, Second) -> Root,
        extract: @escaping @Sendable (Root) -> Value?
    ) where Value == (First, Second) {
        self.embed = { embed($0.0, $0.1) }
        self.extract = extract
    }
}
