// SPDX-License-Identifier: Apache-2.0

/// Collects registrations, then makes an immutable container of them.
///
/// ```swift
/// let builder = ContainerBuilder()
/// builder.singleton((any Mailer).self) { SmtpMailer(host: "localhost") }
/// builder.transient { SignUp(mailer: $0.resolve()) }
///
/// let container = builder.build()
/// let signUp: SignUp = container.resolve()
/// ```
public final class ContainerBuilder: DependencyRegistry {
    private(set) var registrations: [Registration] = []

    /// Creates a builder without registrations.
    public init() {}

    /// Records `registration`, replacing an earlier one of the same contract.
    public func register(_ registration: Registration) {
        registrations.append(registration)
    }

    /// Returns a container of the registrations so far.
    ///
    /// Each container has its own singletons. Later registrations don't change a container that was built earlier.
    public func build() -> Container {
        Container(registrations)
    }

    /// The types that are registered so far and their dependencies.
    public var graph: DependencyGraph {
        DependencyGraph(registrations)
    }

    /// Checks that everything registered so far can be created, without creating objects.
    ///
    /// ```swift
    /// try builder.validate()
    /// let container = builder.build()
    /// ```
    ///
    /// It finds missing dependencies, cycles, duplicate registrations, and singletons that hold scoped objects. It knows
    /// the dependencies that `Resolvable` types and registrations state, see ``Dependencies``. A closure that takes its
    /// scope states no dependencies: it is opaque, and is not checked.
    ///
    /// - Throws: ``CompositionError`` with all problems at once.
    public func validate() throws {
        try validate(.standard)
    }

    /// Checks the registrations as ``validate()`` does, as strictly as `level` demands.
    ///
    /// - Throws: ``CompositionError`` with all problems at once.
    public func validate(_ level: ValidationLevel) throws {
        try graph.validate(level)
    }
}
