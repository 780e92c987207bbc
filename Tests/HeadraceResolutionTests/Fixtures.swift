// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution
import Synchronization

/// A dependency of the other objects.
///
/// Tests distinguish instances by their identity.
final class Settings: Sendable {}

/// A contract, as a protocol.
protocol Mailer: AnyObject, Sendable {
    var settings: Settings { get }
}

/// An implementation that a factory creates.
final class SmtpMailer: Mailer {
    let settings: Settings

    init(settings: Settings) {
        self.settings = settings
    }

    convenience init() {
        self.init(settings: Settings())
    }
}

/// An implementation that creates itself from its scope.
final class ResolvableMailer: Mailer, Resolvable {
    let settings: Settings

    init(settings: Settings) {
        self.settings = settings
    }

    init(scope: any DependencyResolutionScope) {
        settings = scope.resolve()
    }
}

/// A counter for any thread.
final class Counter: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .sequentiallyConsistent) }

    /// Adds 1 and returns the new value.
    @discardableResult
    func increment() -> Int {
        count.add(1, ordering: .sequentiallyConsistent).newValue
    }
}

/// Returns a container with the registrations of `register`.
func container(_ register: (ContainerBuilder) -> Void) -> Container {
    let builder = ContainerBuilder()
    register(builder)
    return builder.build()
}
