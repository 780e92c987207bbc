// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore
import HeadraceResolution

/// The handlers of one type of notification, in the order registered.
struct NotificationHandlers<Notification: CQDNotification>: Sendable {
    private var routes: [HandlerRoute<any HandlesNotification<Notification>>] = []

    /// Adds a handler; adding it again changes nothing.
    mutating func append<Handler: HandlesNotification & Resolvable>(_ type: Handler.Type)
    where Handler.Notification == Notification {
        if routes.contains(where: { $0.type == type }) { return }
        routes.append(HandlerRoute(type) { $0 })
    }

    /// Runs the handlers.
    ///
    /// - Throws: ``PublicationError``; the error of a handler if it ends the publication; `CancellationError`.
    nonisolated(nonsending) func handle(
        _ notification: Notification,
        _ policy: PublicationPolicy,
        in scope: any DependencyResolutionScope
    ) async throws {
        let failures: [PublicationError.Failure]
        if policy.isConcurrent {
            failures = await handleConcurrently(notification, in: scope)
        } else {
            failures = try await handleInOrder(notification, policy, in: scope)
        }
        if failures.isEmpty { return }
        // The error within a cancelled task is a consequence of the cancellation.
        try Task.checkCancellation()
        throw PublicationError(Notification.self, handlerCount: routes.count, failures)
    }

    private nonisolated(nonsending) func handleInOrder(
        _ notification: Notification,
        _ policy: PublicationPolicy,
        in scope: any DependencyResolutionScope
    ) async throws -> [PublicationError.Failure] {
        var failures: [PublicationError.Failure] = []
        for route in routes {
            try Task.checkCancellation()
            do {
                try await route.makeHandler(in: scope).handle(notification)
            } catch {
                if policy.endsWithFailure { throw error }
                failures.append(PublicationError.Failure(handler: route.type, error: error))
            }
        }
        return failures
    }

    private nonisolated(nonsending) func handleConcurrently(
        _ notification: Notification,
        in scope: any DependencyResolutionScope
    ) async -> [PublicationError.Failure] {
        await withTaskGroup(of: (index: Int, error: (any Error)?).self) { group in
            for (index, route) in routes.enumerated() {
                group.addTask {
                    do {
                        try await route.makeHandler(in: scope).handle(notification)
                        return (index, nil)
                    } catch {
                        return (index, error)
                    }
                }
            }
            var errors: [Int: any Error] = [:]
            for await result in group { errors[result.index] = result.error }
            return routes.indices.compactMap { index in
                errors[index].map { PublicationError.Failure(handler: routes[index].type, error: $0) }
            }
        }
    }
}

/// The handlers of all notifications, by the type of the notification.
struct NotificationTable: Sendable {
    private var handlers: [ObjectIdentifier: any Sendable] = [:]

    init(_ types: [any (HandlesNotification & Resolvable).Type]) {
        for type in types { append(type) }
    }

    private mutating func append<Handler: HandlesNotification & Resolvable>(_ type: Handler.Type) {
        var known = self[Handler.Notification.self]
        known.append(type)
        handlers[ObjectIdentifier(Handler.Notification.self)] = known
    }

    /// The handlers of `type`, which may be none.
    subscript<Notification: CQDNotification>(type: Notification.Type) -> NotificationHandlers<Notification> {
        handlers[ObjectIdentifier(type)] as? NotificationHandlers<Notification> ?? NotificationHandlers()
    }
}

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

/// The failures of the handlers of one notification.
///
/// The other handlers have succeeded. Middleware doesn't retry this error, because a retry runs all handlers again.
public struct PublicationError: CodedError {
    /// The failure of one handler.
    public struct Failure: Sendable {
        /// The type of the handler.
        public let handler: Any.Type

        /// The error of the handler.
        public let error: any Error
    }

    /// The kind of error, stable enough to branch on.
    public typealias Code = ErrorCode<PublicationError>

    /// The code of the error.
    public let code: Code

    /// A sentence for each failure, and a sentence about the fix.
    public let message: String

    /// The failures, in the order in which the handlers are registered.
    public let failures: [Failure]

    init(_ notification: Any.Type, handlerCount: Int, _ failures: [Failure]) {
        code = .handlersFailed
        self.failures = failures
        let list = failures.map { "'\(String(naming: $0.handler))': \($0.error)" }.joined(separator: "; ")
        message = """
            Of the \(handlerCount) handlers of '\(String(naming: notification))', \(failures.count) failed: \(list). To fix, \
            repeat only the work of the handlers that failed, because publishing again runs all handlers.
            """
    }
}

extension ErrorCode<PublicationError> {
    /// At least one handler has failed.
    public static var handlersFailed: Self { Self() }
}
