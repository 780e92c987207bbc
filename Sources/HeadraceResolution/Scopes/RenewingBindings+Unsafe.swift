// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import Synchronization

// These bindings replace their objects, so they keep them behind a lock. They are subclasses, so the other lifetimes don't
// pay for them. The creation gate ensures that each object is created once, even if several threads ask.

/// Returns the object of a weak registration that still exists, or makes a new object.
///
/// Why `@unchecked Sendable` is right here: Swift requires a subclass to repeat it. ``Binding`` proves it for the inherited
/// properties. The only other property, `current`, is a constant `Mutex`, and the object to which it refers is `Sendable`.
final class WeakBinding<T: AnyObject & Sendable>: TypedBinding<T>, @unchecked Sendable {
    private struct Reference: Sendable {
        weak var object: T?
    }

    private let current = Mutex(Reference())

    init(_ description: BindingDescription, _ factory: @escaping @Sendable (any DependencyResolutionScope) -> T) {
        // This class keeps the object, so the superclass has no lifetime.
        super.init(.transient, description, factory)
    }

    override var isMadeInOutermostScope: Bool { true }

    override func adopt(_ other: Binding) -> Bool {
        guard let object = (other as? WeakBinding<T>)?.current.withLock({ $0.object }) else { return false }
        return current.withLock { current in
            if current.object != nil { return false }
            current.object = object
            return true
        }
    }

    override func instance(for scope: ResolutionScope, given: any DependencyResolutionScope) -> T {
        if let object = current.withLock({ $0.object }) { return object }
        return makeOnce(
            CreationKey(binding: self, scope: nil),
            in: scope.outermost,
            existing: {
                current.withLock { $0.object }.map { TypedInstance(index: description.index, $0) }
            },
            store: { instance in
                let object = value(of: instance)
                current.withLock { $0.object = object }
                return instance
            }
        )
    }
}

/// An object of a time-limited registration, and the end of its time.
///
/// It isn't inside the generic class, because finding the metadata of a generic type takes longer than the rest of a resolution.
private struct Generation: Sendable {
    let instance: SharedInstance
    let end: ContinuousClock.Instant
}

/// Returns the object of a time-limited registration that hasn't expired, or makes a new object.
///
/// Why `@unchecked Sendable` is right here: Swift requires a subclass to repeat it. ``Binding`` proves it for the inherited
/// properties. The others are constants: `limit` and `clock` are `Sendable`, and `current` is a `Mutex` around a `Generation`,
/// which Swift has checked to be `Sendable`.
final class TimeLimitedBinding<T: Sendable>: TypedBinding<T>, @unchecked Sendable {
    private let limit: Duration
    private let clock: any TimeSource
    private let current = Mutex<Generation?>(nil)

    init(
        _ limit: Duration,
        _ clock: any TimeSource,
        _ description: BindingDescription,
        _ factory: @escaping @Sendable (any DependencyResolutionScope) -> T
    ) {
        self.limit = limit
        self.clock = clock
        // This class keeps the object, so the superclass has no lifetime.
        super.init(.transient, description, factory)
    }

    override var isMadeInOutermostScope: Bool { true }

    override func adopt(_ other: Binding) -> Bool {
        guard let generation = (other as? TimeLimitedBinding<T>)?.current.withLock(\.self) else { return false }
        return current.withLock { current in
            if current != nil { return false }
            current = generation
            return true
        }
    }

    override func instance(for scope: ResolutionScope, given: any DependencyResolutionScope) -> T {
        if let instance = unexpired { return value(of: instance) }
        return makeOnce(
            CreationKey(binding: self, scope: nil),
            in: scope.outermost,
            existing: { unexpired },
            store: { instance in
                let generation = Generation(instance: instance, end: clock.now.advanced(by: limit))
                // The previous object is released outside the lock, because its `deinit` may resolve objects.
                let previous = current.withLock { current in
                    defer { current = generation }
                    return current
                }
                withExtendedLifetime(previous) {}
                return instance
            }
        )
    }

    private var unexpired: SharedInstance? {
        let now = clock.now
        return current.withLock { generation in
            guard let generation, now < generation.end else { return nil }
            return generation.instance
        }
    }
}

/// Returns a singleton that `bootstrap` has created.
///
/// Why `@unchecked Sendable` is right here: Swift requires a subclass to repeat it. ``Binding`` proves it for the inherited
/// properties. The others are constants: `recipe` is a `Sendable` structure, and `decorate` is a `@Sendable` closure.
final class AsyncBinding<T: Sendable>: TypedBinding<T>, BootstrappedBinding, @unchecked Sendable {
    private let recipe: BootstrapRecipe<T>
    private let decorate: @Sendable (T, any DependencyResolutionScope) -> T

    var timeout: Duration? { recipe.timeout }

    init(
        _ recipe: BootstrapRecipe<T>,
        _ description: BindingDescription,
        _ decorate: @escaping @Sendable (T, any DependencyResolutionScope) -> T
    ) {
        self.recipe = recipe
        self.decorate = decorate
        super.init(.singleton, description) { _ in
            ResolutionFailure.notBootstrapped(T.self, neededBy: Array(ResolutionPath.names.dropLast())).stop()
        }
    }

    override var isBootstrapped: Bool { true }

    func prepare(in scope: ResolutionScope) -> @Sendable () async throws -> BootstrappedObject {
        let borrowed = BorrowedScope(scope)
        let make = recipe.prepare(borrowed)
        return { [recipe] in
            let object = try await make()
            return BootstrappedObject(
                keep: { self.keep(self.decorate(object, borrowed)) },
                shutdown: { await recipe.shutdown(object) }
            )
        }
    }
}
