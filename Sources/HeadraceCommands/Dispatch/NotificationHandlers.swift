// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
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
