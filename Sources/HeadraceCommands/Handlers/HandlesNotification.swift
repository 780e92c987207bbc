// SPDX-License-Identifier: Apache-2.0

/// Handles one type of notification, together with any number of other handlers.
///
/// ```swift
/// final class TellGuest: HandlesNotification, Resolvable {
///     private let mailer: any Mailer
///
///     init(scope: any DependencyResolutionScope) {
///         mailer = scope.resolve()
///     }
///
///     func handle(_ notification: SeatWasReserved) async throws {
///         try await mailer.confirm(notification.seat)
///     }
/// }
/// ```
///
/// Each publication makes a new handler of each type, so a handler isn't shared and needs no synchronization.
public protocol HandlesNotification<Notification>: SendableMetatype {
    /// The type of notification that the handler takes.
    associatedtype Notification: CQDNotification

    /// Handles `notification`, in the task and on the actor of the caller unless the handlers run concurrently.
    ///
    /// To run it on the main actor in all cases, write `@MainActor func handle`.
    ///
    /// - Throws: Any error; ``PublicationPolicy`` states the consequence.
    nonisolated(nonsending) func handle(_ notification: Notification) async throws
}
