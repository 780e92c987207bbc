//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension Service {
    /// Has the services under it take an action one after the other, in the order written.
    ///
    /// It holds for all of them, however deep, up to the next ``concurrent()``. The first that fails is the last that
    /// is asked. They run in the task and on the actor of whoever sends.
    public func serial() -> ModifiedService<Self> {
        modified("serial") { $0.strategy = .serial }
    }

    /// Has the services under it take an action at the same time; it is so unless stated otherwise.
    ///
    /// It holds for all of them, however deep, up to the next ``serial()``. Where several want an action, each runs in a
    /// child task; one that fails does not keep the others from finishing, and all errors are reported.
    public func concurrent() -> ModifiedService<Self> {
        modified("concurrent") { $0.strategy = .concurrent }
    }
}
