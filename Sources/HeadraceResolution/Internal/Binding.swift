//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// What a container keeps of one registration: the factory and, for what is shared, its storage.
///
/// The three kinds are subclasses, not cases, so that a resolution is one virtual call.
///
/// Why `@unchecked Sendable` is right here: Swift checks `Sendable` of final classes only, so the
/// class at the top of a hierarchy cannot be checked. This hierarchy is closed (internal, this file)
/// and every stored property in it is an immutable `Sendable` value or an ``InstanceReference``.
///
/// How to keep it fast: these methods run without specialisation, because who resolves does so behind a
/// protocol. There, a value of a type that is generic over `T` (`T?` among them) makes the runtime look up
/// the metadata of that type, which costs several resolutions. So what is shared is kept and passed as the
/// plain ``SharedInstance``, and only the end of the way knows `T`.
class Binding: @unchecked Sendable {
    /// Where the binding stands in its container.
    let place: BindingPlace

    /// The type that the binding resolves.
    var contract: Any.Type { place.contract }

    /// Whether the object that the binding would give in `scope` exists already.
    func hasMade(in scope: ResolutionScope) -> Bool { false }

    /// Whether the factory runs on the main actor.
    var isOnMainActor: Bool { false }

    /// Whether the factory is given the outermost scope, whichever scope is asked.
    var isMadeInOutermostScope: Bool { false }

    fileprivate init(_ place: BindingPlace) {
        self.place = place
    }
}

/// A binding that gives a `T`.
///
/// ``ResolutionScope`` finds it by the identity of `T` in a table whose rows ``ContainerBuilder`` keys
/// by the same type, and so may downcast without a check.
class TypedBinding<T>: Binding, @unchecked Sendable {
    let factory: @Sendable (any DependencyResolutionScope) -> T

    /// Creates the binding at `place`, whose contract is another type than `T` if `T` is a box of it.
    init(_ place: BindingPlace, _ factory: @escaping @Sendable (any DependencyResolutionScope) -> T) {
        self.factory = factory
        super.init(place)
    }

    /// Gives the object for whoever asks in `scope`.
    ///
    /// `given` is the scope that the factory of a transient object gets: `scope`, or a ``BorrowedScope`` of it
    /// where the object is for one that the scope keeps.
    func instance(for scope: ResolutionScope, given: any DependencyResolutionScope) -> T {
        preconditionFailure("abstract")
    }
}

extension TypedBinding where T: Sendable {
    /// The object in `instance`, which this binding has made, and so may downcast without a check.
    fileprivate func value(of instance: SharedInstance) -> T {
        unsafe unsafeDowncast(instance, to: TypedInstance<T>.self).value
    }
}

/// Makes a new object each time.
final class TransientBinding<T>: TypedBinding<T>, @unchecked Sendable {
    override func instance(for scope: ResolutionScope, given: any DependencyResolutionScope) -> T {
        ResolutionPath.making(self) { factory(given) }
    }
}

/// Makes one object in each scope, which keeps it.
final class ScopedBinding<T: Sendable>: TypedBinding<T>, @unchecked Sendable {
    private let index: Int

    override init(_ place: BindingPlace, _ factory: @escaping @Sendable (any DependencyResolutionScope) -> T) {
        index = place.index
        super.init(place, factory)
    }

    override func hasMade(in scope: ResolutionScope) -> Bool { scope.objects.find(index) != nil }

    override func instance(for scope: ResolutionScope, given: any DependencyResolutionScope) -> T {
        if let made = unsafe scope.objects.unretained(index) {
            return unsafe made._withUnsafeGuaranteedRef { value(of: $0) }
        }
        return value(of: make(in: scope))
    }

    private func make(in scope: ResolutionScope) -> SharedInstance {
        CreationGate.shared.makeOnce(
            CreationGate.Key(binding: self, scope: scope),
            existing: { scope.objects.find(index) },
            make: {
                let made = TypedInstance(index: index, ResolutionPath.making(self) { factory(BorrowedScope(scope)) })
                scope.objects.insert(made)
                return made
            }
        )
    }
}

/// Makes one object, in the outermost scope whoever asks first, and keeps it.
final class SingletonBinding<T: Sendable>: TypedBinding<T>, @unchecked Sendable {
    private let made = InstanceReference()

    override func hasMade(in scope: ResolutionScope) -> Bool { made.load() != nil }

    override var isMadeInOutermostScope: Bool { true }

    override func instance(for scope: ResolutionScope, given: any DependencyResolutionScope) -> T {
        if let made = unsafe made.unretained() {
            return unsafe made._withUnsafeGuaranteedRef { value(of: $0) }
        }
        return value(of: make(in: scope.outermost))
    }

    private func make(in scope: ResolutionScope) -> SharedInstance {
        CreationGate.shared.makeOnce(
            CreationGate.Key(binding: self, scope: nil),
            existing: { made.load() },
            make: {
                made.storeIfNil(
                    TypedInstance(index: 0, ResolutionPath.making(self) { factory(BorrowedScope(scope)) })
                )
            }
        )
    }
}
