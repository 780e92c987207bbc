// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

typealias BootstrapHandler = @MainActor @Sendable () async throws -> Void

/// The position in the tree at which a handler was written: where its actions go, and its environment.
struct ServiceSite: Sendable {
    let send: Send
    let bindings: EnvironmentBindings?

    /// Runs `operation` in the environment of this position.
    nonisolated(nonsending) func scoped(
        _ frame: SendFrame,
        _ operation: nonisolated(nonsending) () async throws -> Void
    ) async throws {
        guard let bindings else { return try await operation() }
        try await CurrentEnvironment.$current.binding(CurrentEnvironment(bindings: bindings, frame: frame), operation)
    }

    /// Returns a bootstrap handler that runs `handler` in the environment of this position.
    func bootstrap(_ handler: @escaping BootstrapHandler) -> BootstrapHandler {
        guard let bindings else { return handler }
        let environment = CurrentEnvironment(bindings: bindings, frame: nil)
        return { try await CurrentEnvironment.$current.binding(environment) { try await handler() } }
    }
}
