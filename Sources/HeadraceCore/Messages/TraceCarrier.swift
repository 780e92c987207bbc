//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Instrumentation

/// Takes the trace of the task along to where a task local does not reach: into a store, to another process.
package enum TraceCarrier {
    /// What the instrument of the system writes of the current trace; empty where nobody traces.
    package static var current: [String: String] {
        guard let context = InstrumentationContext.current else { return [:] }
        var carrier: [String: String] = [:]
        InstrumentationSystem.instrument.inject(context, into: &carrier, using: Injector())
        return carrier
    }

    /// Runs `operation` within the trace that `carrier` tells of.
    package static nonisolated(nonsending) func restoring<Result>(
        _ carrier: [String: String],
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        if carrier.isEmpty { return try await operation() }
        var context = InstrumentationContext.current ?? .topLevel
        InstrumentationSystem.instrument.extract(carrier, into: &context, using: Extractor())
        return try await InstrumentationContext.$current.binding(context, operation)
    }

    private struct Injector: Instrumentation.Injector {
        func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
            carrier[key] = value
        }
    }

    private struct Extractor: Instrumentation.Extractor {
        func extract(key: String, from carrier: [String: String]) -> String? {
            carrier[key]
        }
    }
}
