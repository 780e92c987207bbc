//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

extension Service {
    /// States a value for the services under it, unless a nearer one states another.
    public func environment<Value: Sendable>(
        _ key: any WritableKeyPath<ServiceEnvironmentValues, Value> & Sendable,
        _ value: Value
    ) -> ModifiedService<Self> {
        modified { $0.values[keyPath: key] = value }
    }

    /// Calls `send` with each action that the services under it send, instead of sending the action to the cluster.
    ///
    /// A test passes a closure that records the actions; see also `RecordingSend` in HeadraceTesting.
    ///
    /// - Parameters:
    ///   - key: `\.send`.
    ///   - send: Receives the actions. If it throws, the handler that has sent the action gets the error.
    /// - Returns: The service with the modifier.
    public func environment(
        _ key: any WritableKeyPath<ServiceEnvironmentValues, Send> & Sendable,
        _ send: nonisolated(nonsending) @escaping @Sendable (any Action) async throws -> Void
    ) -> ModifiedService<Self> {
        environment(key, Send(send))
    }

    /// Gives an object to the services under it that read one of its type.
    public func environmentObject<Object: AnyObject & Sendable>(_ object: Object) -> ModifiedService<Self> {
        modified { $0.values.setObject(object) }
    }

    /// Changes a value for the services under it.
    public func transformEnvironment<Value>(
        _ key: any WritableKeyPath<ServiceEnvironmentValues, Value> & Sendable,
        _ transform: @escaping @MainActor (inout Value) -> Void
    ) -> ModifiedService<Self> {
        modified { transform(&$0.values[keyPath: key]) }
    }
}
