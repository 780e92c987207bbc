// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

extension Service {
    /// Sets an environment value for the services under the modifier.
    ///
    /// A modifier nearer to a service takes precedence.
    public func environment<Value: Sendable>(
        _ key: any WritableKeyPath<ServiceEnvironmentValues, Value> & Sendable,
        _ value: Value
    ) -> ModifiedService<Self> {
        modified { $0.values[keyPath: key] = value }
    }

    /// Passes each action that the services under the modifier send to `send` instead of the cluster.
    ///
    /// A test can pass a closure that records the actions; see also `RecordingSend` in HeadraceTesting.
    ///
    /// - Parameters:
    ///   - key: `\.send`.
    ///   - send: Receives the actions. If it throws, the handler that sent the action receives the error.
    /// - Returns: The service with the modifier.
    public func environment(
        _ key: any WritableKeyPath<ServiceEnvironmentValues, Send> & Sendable,
        _ send: nonisolated(nonsending) @escaping @Sendable (any Action) async throws -> Void
    ) -> ModifiedService<Self> {
        environment(key, Send(send))
    }

    /// Provides an object for the services under the modifier that read an object of this type.
    public func environmentObject<Object: AnyObject & Sendable>(_ object: Object) -> ModifiedService<Self> {
        modified { $0.values.setObject(object) }
    }

    /// Changes an environment value for the services under the modifier.
    public func transformEnvironment<Value>(
        _ key: any WritableKeyPath<ServiceEnvironmentValues, Value> & Sendable,
        _ transform: @escaping @MainActor (inout Value) -> Void
    ) -> ModifiedService<Self> {
        modified { transform(&$0.values[keyPath: key]) }
    }
}
