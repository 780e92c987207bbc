// SPDX-License-Identifier: Apache-2.0

public import HeadraceResolution

extension Container {
    /// Returns a container in which `type` is created again, and so is each singleton that may hold the old object.
    ///
    /// ```swift
    /// let fresh = container.resetting(Cache.self)
    /// #expect(fresh.resolve(Cache.self) !== container.resolve(Cache.self))
    /// ```
    ///
    /// `type` is a registered type, or the implementation of one. The new container shares the other singletons, weak objects,
    /// and time-limited objects that exist and are proved not to hold a `type`: they and their dependencies state all of their
    /// dependencies. An object of a closure that takes its scope is created again, and so are scoped objects. This container
    /// doesn't change, so parallel tests aren't affected.
    ///
    /// An object of a `bootstrapped` registration that is created again needs another call of `bootstrap`.
    public func resetting<T>(_ type: T.Type) -> Container {
        resetting(type as Any.Type)
    }
}
