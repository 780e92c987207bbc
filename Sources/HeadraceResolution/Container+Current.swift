//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore
import Synchronization

extension Container {
    /// The container or scope that ``Inject`` resolves from: that of the task, or else the one installed.
    ///
    /// - Precondition: There is one. A program that has none stops here, with the line to add.
    public static var current: any DependencyResolutionScope {
        if let scope = CurrentScope.ofTask { return scope }
        guard let installed = CurrentScope.installed.withLock(\.self) else {
            ResolutionFailure.noContainer.stop()
        }
        return installed
    }

    /// Makes this the container of the process, for every task that has none of its own.
    ///
    /// An application does so once, at its start. Tests do not: they use
    /// `withCurrent(_:)`, and so may run at the same time.
    public func install() {
        CurrentScope.installed.withLock { $0 = self }
    }
}

extension DependencyResolutionScope {
    /// Runs `body` with this container or scope as ``Container/current``, for its task and the tasks within.
    ///
    /// It runs on the actor of the caller. A detached task has none.
    public nonisolated(nonsending) func withCurrent<Result>(
        _ body: nonisolated(nonsending) () async throws -> Result
    ) async rethrows -> Result {
        CurrentScope.isCarried
        return try await CurrentScope.$ofTask.binding(self, body)
    }

    /// The twin of `withCurrent(_:)` for what is synchronous.
    public func withCurrent<Result>(_ body: () throws -> Result) rethrows -> Result {
        CurrentScope.isCarried
        return try CurrentScope.$ofTask.withValue(self) { try body() }
    }
}

/// Where the current container is kept.
private enum CurrentScope {
    @TaskLocal static var ofTask: (any DependencyResolutionScope)?

    /// Has queued actions take the container of their task along, from the first time that a task has one.
    static let isCarried: Void = CarriedValues.register(.ifPresent($ofTask))

    static let installed = Mutex<Container?>(nil)
}
