//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// An object that several may hold, in a box that an atomic reference can point to.
///
/// It is a link of ``ScopedObjects`` as well, so that an object of a scope is one allocation more, not two.
///
/// Why `@unchecked Sendable` is right here: as of ``Binding``. The one subclass adds an immutable value that is
/// `Sendable` itself.
class SharedInstance: @unchecked Sendable {
    /// The place of the object in its scope; a singleton has none, and ignores it.
    let index: Int

    /// The object that was made next in the same scope.
    let next = InstanceReference()

    fileprivate init(index: Int) {
        self.index = index
    }
}

/// The box of a `T`.
final class TypedInstance<T: Sendable>: SharedInstance, @unchecked Sendable {
    let value: T

    init(index: Int, _ value: T) {
        self.value = value
        super.init(index: index)
    }
}
