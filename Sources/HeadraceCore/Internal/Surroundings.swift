//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Instrumentation

/// What messages inherit from the code that sends them, as one value in the context of the task.
struct Surroundings: Sendable {
    var message: MessageContext?
    var principal: (any Principal)?
    var deadline: ContinuousClock.Instant?

    private enum Key: InstrumentationContextKey {
        typealias Value = Surroundings
        static var nameOverride: String? { "headrace" }
    }

    static var current: Surroundings {
        InstrumentationContext.current?[Key.self] ?? Surroundings()
    }

    /// Runs `operation` with surroundings that `change` has made out of the current ones.
    static nonisolated(nonsending) func withCurrent<Result>(
        _ change: (inout Surroundings) -> Void,
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        var context = InstrumentationContext.current ?? .topLevel
        var surroundings = context[Key.self] ?? Surroundings()
        change(&surroundings)
        context[Key.self] = surroundings
        return try await InstrumentationContext.$current.binding(context, operation)
    }
}
