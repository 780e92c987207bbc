// SPDX-License-Identifier: Apache-2.0

import Instrumentation

/// Carries a trace to places that task-local values don't reach: stores and other processes.
package enum TraceCarrier {
    /// The current trace as fields of the system's instrument; empty without tracing.
    package static var current: [String: String] {
        guard let context = InstrumentationContext.current else { return [:] }
        var carrier: [String: String] = [:]
        InstrumentationSystem.instrument.inject(context, into: &carrier, using: Injector())
        return carrier
    }

    /// Runs `operation` within the trace in the fields of `carrier`.
    package static nonisolated(nonsending) func restoring<Result>(
        _ carrier: [String: String],
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        if carrier.isEmpty { return try await operation() }
        var context = InstrumentationContext.current ?? .topLevel
        InstrumentationSystem.instrument.extract(carrier, into: &context, using: Extractor())
        return try await InstrumentationContext.$current.binding(context, operation)
    }

    /// Runs `operation` within the trace in `fields` of a request, unless the task has a trace or there is no instrument.
    package static nonisolated(nonsending) func continuing<Result>(
        from fields: @autoclosure () -> [String: String],
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        if InstrumentationContext.current != nil || InstrumentationSystem.instrument is NoOpInstrument {
            return try await operation()
        }
        return try await restoring(fields(), operation)
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
