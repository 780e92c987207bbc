// SPDX-License-Identifier: Apache-2.0

extension Service {
    /// Runs the services under the modifier serially, in the order written.
    ///
    /// It applies at every depth, up to the next ``concurrent()``. The services run in the task and on the actor of the sender.
    /// After an error, the remaining services don't run.
    public func serial() -> ModifiedService<Self> {
        modified("serial") { $0.strategy = .serial }
    }

    /// Runs the services under the modifier concurrently.
    ///
    /// This is the default.
    ///
    /// It applies at every depth, up to the next ``serial()``. If several services handle an action, each runs in a child task.
    /// After an error, the other services still finish, and all errors are reported.
    public func concurrent() -> ModifiedService<Self> {
        modified("concurrent") { $0.strategy = .concurrent }
    }
}
