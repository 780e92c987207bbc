// SPDX-License-Identifier: Apache-2.0

/// States the dependencies of a closure that resolves by hand, so that they can be checked.
///
/// ```swift
/// builder.singleton((any Store).self, opaque(needs: Cache.self) { scope in DiskStore(scope.resolve()) })
/// ```
///
/// Other types that the closure resolves are not checked. If the parameters of an initializer are
/// the dependencies, register the initializer: `builder.singleton((any Store).self, DiskStore.init)`.
///
/// - Parameters:
///   - needs: The types that the closure resolves.
///   - factory: Makes the object.
/// - Returns: The argument of a registration form after the contract.
public func opaque<Contract, each Needed>(
    needs: repeat (each Needed).Type,
    factory: @escaping @Sendable (any DependencyResolutionScope) -> Contract
) -> Assigned<Contract> {
    let dependencies = Dependencies(on: repeat each needs)
    return { assignment in
        assignment.dependencies = dependencies
        return factory
    }
}
