// SPDX-License-Identifier: Apache-2.0

/// A shared object in a box that an atomic reference can point to.
///
/// It is also a link of ``ScopedObjects``, so that an object of a scope costs one more allocation, not two.
///
/// Why `@unchecked Sendable` is right here: Swift can't check a class with subclasses. The stored properties are an
/// immutable number and an ``InstanceReference``. For the subclass see there.
class SharedInstance: @unchecked Sendable {
    /// Position of the registration in its container, counting from 0.
    let index: Int

    /// The object that was created next in the same scope.
    let next = InstanceReference()

    fileprivate init(index: Int) {
        self.index = index
    }
}

/// The box of a `T`.
///
/// Why `@unchecked Sendable` is right here: the value is immutable, and it is `Sendable` or belongs to the main actor. The
/// registration forms for shared objects demand `Sendable`, except those on the main actor. There, only
/// ``MainActorBinding`` reads the value, after it has checked the thread. The last reference to the box may end on any
/// thread; then no other reference to the value exists.
final class TypedInstance<T>: SharedInstance, @unchecked Sendable {
    let value: T

    init(index: Int, _ value: T) {
        self.value = value
        super.init(index: index)
    }
}
