// SPDX-License-Identifier: Apache-2.0

/// A registration inside a container: the factory and, for a singleton, its object.
///
/// Why `@unchecked Sendable` is right here: Swift checks `Sendable` for final classes only, so it can't check the base
/// class of a hierarchy. This hierarchy is closed (this file, ``MainActorBinding``, and the bindings of `RenewingBindings`), and
/// every stored property in it is an immutable `Sendable` value, a lock, or an ``InstanceReference``.
///
/// Why the downcast of ``TypedBinding`` is safe: a binding reads only the instances that it has created itself, or that it has
/// adopted from a binding of the same type, which a checked cast has proved.
///
/// How to keep it fast: these methods run without specialization, because the caller resolves through a protocol. There, a
/// value of a type that is generic over `T` (`T?` among them) makes the runtime look up the metadata of that type, which
/// takes longer than several resolutions. So shared objects are stored and passed as plain ``SharedInstance``, and only the
/// last step knows `T`.
class Binding: ResolutionPath.Element, @unchecked Sendable {
    /// Whether the object that the binding would return in `scope` exists already.
    func hasMade(in scope: ResolutionScope) -> Bool { false }

    /// Whether the factory runs on the main actor.
    var isOnMainActor: Bool { false }

    /// Whether the factory receives the outermost scope, in all scopes.
    var isMadeInOutermostScope: Bool { false }

    /// Whether the object is created by `bootstrap`, and not when it is resolved.
    var isBootstrapped: Bool { false }

    /// Keeps the object of `other`, a binding of the same registration in another container.
    ///
    /// - Returns: Whether this binding has a new object.
    func adopt(_ other: Binding) -> Bool { false }
}

/// A binding that returns a `T`.
///
/// ``ResolutionScope`` finds it by the identity of `T` in a table that ``Blueprint`` keys by the same type. So the scope
/// may downcast it without a check.
///
/// The lifetimes are cases, not subclasses. For each `T`, the runtime makes the metadata of a generic class, and of its generic
/// superclass, too. This is most of the work of building a container.
class TypedBinding<T>: Binding, @unchecked Sendable {
    let factory: @Sendable (any DependencyResolutionScope) -> T
    private let lifetime: BindingLifetime

    /// The object of a singleton; not set for another lifetime.
    private let made = InstanceReference()

    init(
        _ lifetime: BindingLifetime,
        _ description: BindingDescription,
        _ factory: @escaping @Sendable (any DependencyResolutionScope) -> T
    ) {
        self.lifetime = lifetime
        self.factory = factory
        super.init(description)
    }

    override func hasMade(in scope: ResolutionScope) -> Bool {
        switch lifetime {
        case .transient: false
        case .scoped: scope.objects.find(description.index) != nil
        case .singleton: made.load() != nil
        }
    }

    override var isMadeInOutermostScope: Bool { lifetime == .singleton }

    /// Returns the object for a caller in `scope`.
    ///
    /// `given` is the scope that the factory of a transient object receives: `scope`, or a ``BorrowedScope`` of it if a
    /// shared object needs the transient object.
    func instance(for scope: ResolutionScope, given: any DependencyResolutionScope) -> T {
        if let made = unsafe made.unretained() {
            return unsafe made._withUnsafeGuaranteedRef { value(of: $0) }
        }
        return otherInstance(for: scope, given: given)
    }

    /// Returns an object that isn't an existing singleton.
    ///
    /// It is separate, so that the look-up of a singleton saves no registers.
    @inline(never)
    private final func otherInstance(for scope: ResolutionScope, given: any DependencyResolutionScope) -> T {
        switch lifetime {
        case .transient:
            return ResolutionPath.making(self) { factory(given) }
        case .scoped:
            if let made = unsafe scope.objects.unretained(description.index) {
                return unsafe made._withUnsafeGuaranteedRef { value(of: $0) }
            }
            return makeScoped(in: scope)
        case .singleton:
            return makeSingleton(in: scope.outermost)
        }
    }

    /// Creates the object of `scope`, which keeps it.
    private func makeScoped(in scope: ResolutionScope) -> T {
        makeOnce(
            CreationKey(binding: self, scope: scope),
            in: scope,
            existing: { scope.objects.find(description.index) },
            store: {
                scope.objects.insert($0)
                return $0
            }
        )
    }

    /// Creates the object in the outermost scope, even if another scope asks first, and keeps it.
    private func makeSingleton(in outermost: ResolutionScope) -> T {
        makeOnce(
            CreationKey(binding: self, scope: nil),
            in: outermost,
            existing: { made.load() },
            store: { made.storeIfNil($0) }
        )
    }

    /// Makes `object` the singleton of this binding, unless it has one.
    final func keep(_ object: T) {
        _ = made.storeIfNil(TypedInstance(index: description.index, object))
    }

    override func adopt(_ other: Binding) -> Bool {
        guard made.load() == nil, let instance = (other as? TypedBinding<T>)?.made.load() else { return false }
        return made.storeIfNil(instance) === instance
    }

    /// Returns the value of `instance`, which this binding has created.
    final func value(of instance: SharedInstance) -> T {
        unsafe unsafeDowncast(instance, to: TypedInstance<T>.self).value
    }

    /// Returns the value that `existing` finds, or creates it in `scope` and stores it.
    final func makeOnce(
        _ key: CreationKey,
        in scope: ResolutionScope,
        existing: () -> SharedInstance?,
        store: (SharedInstance) -> SharedInstance
    ) -> T {
        let instance = CreationGate.shared.makeOnce(key, existing: existing) {
            let made = ResolutionPath.making(self) { factory(BorrowedScope(scope)) }
            return store(TypedInstance(index: description.index, made))
        }
        return value(of: instance)
    }
}
