// SPDX-License-Identifier: Apache-2.0

/// Returns the objects of a main-actor factory, on the main actor only.
///
/// Why `@unchecked Sendable` is right here: the only stored property is a binding. The objects of that binding may be other
/// than `Sendable`: they are created and read on the main actor only, because ``instance(for:given:)`` checks the thread.
final class MainActorBinding<T>: TypedBinding<T>, @unchecked Sendable {
    /// The binding that creates and keeps the object.
    private let inner: TypedBinding<T>

    init(_ inner: TypedBinding<T>) {
        self.inner = inner
        // The inner binding keeps the object, so this binding has no lifetime.
        super.init(.transient, inner.description, inner.factory)
    }

    override var isOnMainActor: Bool { true }

    override func adopt(_ other: Binding) -> Bool {
        guard let other = other as? MainActorBinding<T> else { return false }
        return inner.adopt(other.inner)
    }

    override func instance(for scope: ResolutionScope, given: any DependencyResolutionScope) -> T {
        guard MainActorCheck.isCurrent else {
            ResolutionFailure.notOnMainActor(T.self, neededBy: ResolutionPath.names).stop()
        }
        return inner.instance(for: scope, given: given)
    }

    /// Returns `factory` without its isolation, for a binding that calls it on the main actor.
    static func withoutIsolation(
        _ factory: @escaping @MainActor (any DependencyResolutionScope) -> T
    ) -> @Sendable (any DependencyResolutionScope) -> T {
        { scope in
            // `assumeIsolated` stops the program off the main actor, and returns only `Sendable` values. The object is
            // written and read on this thread.
            nonisolated(unsafe) var made: T?
            MainActor.assumeIsolated { unsafe made = factory(scope) }
            guard let made = unsafe made else { preconditionFailure("'assumeIsolated' has run its body.") }
            return made
        }
    }
}
