// SPDX-License-Identifier: Apache-2.0

/// The order in which the handlers of a notification run, and the consequence of an error.
public struct PublicationPolicy: Sendable, Hashable {
    private enum Choice { case inOrder, inOrderUntilFailure, concurrently }

    private let choice: Choice

    /// The handlers run one after the other, in the order registered; the default.
    ///
    /// If a handler fails, the others still run. Then ``PublicationError`` names all failures. A cancelled task starts no further
    /// handler.
    public static let inOrder = PublicationPolicy(choice: .inOrder)

    /// The handlers run one after the other, in the order registered, until a handler fails.
    ///
    /// The error of that handler is thrown unwrapped, and the others don't run.
    public static let inOrderUntilFailure = PublicationPolicy(choice: .inOrderUntilFailure)

    /// The handlers run at the same time, each in a child task.
    ///
    /// If a handler fails, the others still run. Then ``PublicationError`` names all failures. The handlers leave the actor of the
    /// caller, and their units of work don't join a unit of work of the caller.
    public static let concurrently = PublicationPolicy(choice: .concurrently)

    /// Whether handlers run at the same time.
    var isConcurrent: Bool { choice == .concurrently }

    /// Whether the first failure ends the publication.
    var endsWithFailure: Bool { choice == .inOrderUntilFailure }
}
