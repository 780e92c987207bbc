// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// The look-ups in the tables of the blueprint.
///
/// Why these are safe: a table's key is the identity of the type that its binding returns, see ``TypedBinding``, so the
/// downcast needs no check. The scope keeps the table, and the table its bindings, so a binding needs no retain.
extension ResolutionScope {
    /// Returns an object of `type`, or `nil` if nothing is registered for it.
    ///
    /// The factory receives `given`.
    func tryResolve<T>(_ type: T.Type, given: any DependencyResolutionScope) -> T? {
        if let binding = unsafe bindings.unretained(type) {
            return unsafe binding._withUnsafeGuaranteedRef {
                unsafe unsafeDowncast($0, to: TypedBinding<T>.self).instance(for: self, given: given)
            }
        }
        return tryResolveDerived(type, given: given)
    }

    /// Returns an object of `type`, or stops the program.
    ///
    /// The factory receives `given`.
    func resolve<T>(_ type: T.Type, given: any DependencyResolutionScope) -> T {
        // Doesn't call `tryResolve(_:given:)`, because a `T?` is expensive: see Binding.
        if let binding = unsafe bindings.unretained(type) {
            return unsafe binding._withUnsafeGuaranteedRef {
                unsafe unsafeDowncast($0, to: TypedBinding<T>.self).instance(for: self, given: given)
            }
        }
        return resolveDerived(type, given: given)
    }

    /// Returns the members of the set of `type`, or `nil` if it has no set.
    ///
    /// The factories receive `given`.
    func members<T>(of type: T.Type, given: any DependencyResolutionScope) -> [T]? {
        blueprint.sets[type]?.bindings.map { binding in
            unsafe unsafeDowncast(binding, to: TypedBinding<T>.self).instance(for: self, given: given)
        }
    }
}
