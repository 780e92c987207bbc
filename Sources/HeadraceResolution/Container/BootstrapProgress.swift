// SPDX-License-Identifier: Apache-2.0

/// A step of `Container.bootstrap(clock:progress:)`.
public struct BootstrapProgress: Sendable {
    /// Name of the type that is being created, with its module.
    public let service: String

    /// Position of the type in the order of creation, counting from 1.
    public let number: Int

    /// Number of types to create.
    public let count: Int

    /// The time that the creation took; `nil` at its beginning.
    public let duration: Duration?
}
