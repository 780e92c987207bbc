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
/// and every stored property in it is an immutable `Sendable` value or an `AtomicLazyReference` to a
/// ``SharedInstance``, which the compiler does check.
class Binding: @unchecked Sendable {
    /// The type that the binding resolves.
    var contract: Any.Type { preconditionFailure("abstract") }
}

/// A binding that gives a `T`.
///
/// ``ResolutionScope`` finds it by the identity of `T` in a table whose rows ``ContainerBuilder`` keys
/// by the same type, and so may downcast without a check.
class TypedBinding<T>: Binding, @unchecked Sendable {
    let factory: @Sendable (any DependencyResolutionScope) -> T

    init(_ factory: @escaping @Sendable (any DependencyResolutionScope) -> T) {
        self.factory = factory
    }

    override final var contract: Any.Type { T.self }

    /// Gives the object for whoever asks in `scope`.
    func instance(for scope: ResolutionScope) -> T { preconditionFailure("abstract") }
}

/// Makes a new object each time.
final class TransientBinding<T>: TypedBinding<T>, @unchecked Sendable {
    override func instance(for scope: ResolutionScope) -> T {
        ResolutionPath.making(self) { factory(scope) }
    }
}

/// Makes one object in each scope, which keeps it.
final class ScopedBinding<T: Sendable>: TypedBinding<T>, @unchecked Sendable {
    private let index: Int

    init(index: Int, _ factory: @escaping @Sendable (any DependencyResolutionScope) -> T) {
        self.index = index
        super.init(factory)
    }

    override func instance(for scope: ResolutionScope) -> T {
        if let made = scope.objects.find(index, as: SharedInstance<T>.self) {
            return made.value
        }
        return scope.shared.gate.makeOnce(
            CreationGate.Key(binding: self, scope: scope),
            existing: { scope.objects.find(index, as: SharedInstance<T>.self) },
            make: {
                let made = SharedInstance(ResolutionPath.making(self) { factory(scope) })
                scope.objects.insert(made, at: index)
                return made
            }
        ).value
    }
}

/// Makes one object, in the outermost scope whoever asks first, and keeps it.
final class SingletonBinding<T: Sendable>: TypedBinding<T>, @unchecked Sendable {
    private let made = AtomicLazyReference<SharedInstance<T>>()

    override func instance(for scope: ResolutionScope) -> T {
        if let made = made.load() {
            return made.value
        }
        return scope.shared.gate.makeOnce(
            CreationGate.Key(binding: self, scope: nil),
            existing: { made.load() },
            make: {
                made.storeIfNil(
                    SharedInstance(ResolutionPath.making(self) { factory(scope.outermost) })
                )
            }
        ).value
    }
}

/// An object that several may hold, in a box that an atomic reference can point to.
final class SharedInstance<T: Sendable>: Sendable {
    let value: T

    init(_ value: T) {
        self.value = value
    }
}
