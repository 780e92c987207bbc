//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension Service {
    /// States a value for the services under it, unless a nearer one states another.
    public func environment<Value: Sendable>(
        _ key: any WritableKeyPath<ServiceEnvironmentValues, Value> & Sendable,
        _ value: Value
    ) -> ModifiedService<Self> {
        modified { $0.values[keyPath: key] = value }
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
