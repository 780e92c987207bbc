// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// The containers whose objects the current task creates.
enum StartingContainers {
    @TaskLocal static var numbers: Set<UInt> = []
}

/// The progress of `Container.bootstrap(clock:progress:)`.
enum BootstrapState: Sendable {
    case pending

    /// Objects are being created; `hasEnded` is set after the last one, or when those that exist were shut down.
    case running(hasEnded: OneShot<Void>)

    /// The container is shut down while objects are being created.
    case closing(hasEnded: OneShot<Void>)

    /// All objects exist; `shutdowns` end them, in the order of their creation.
    case ended(shutdowns: [@Sendable () async -> Void])

    /// An object couldn't be created, or the container was shut down.
    case closed
}

/// The construction of an object by `Container.bootstrap(clock:progress:)`.
struct BootstrapRecipe: Sendable {
    /// The time after which the construction is cancelled; `nil` if it is unlimited.
    let timeout: Duration?

    /// Resolves the dependencies, and returns the construction.
    let prepare: @Sendable (any DependencyResolutionScope) -> @Sendable () async throws -> BootstrappedObject
}

/// An object that was created at the start of the program.
struct BootstrappedObject: Sendable {
    /// Returns the object with its decorations, for its binding.
    let instance: @Sendable () -> Instance

    /// Ends the object.
    let shutdown: @Sendable () async -> Void
}
