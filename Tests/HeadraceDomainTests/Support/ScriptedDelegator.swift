// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import HeadraceDomain
import Synchronization

/// A delegator that runs the test's script before the commit, and records all calls.
final class ScriptedDelegator: DomainEventDelegator {
    typealias Script = nonisolated(nonsending) @Sendable (any DomainEvent, EntityContext) async throws -> Void

    private let script: Script
    private let log = Mutex<[String]>([])

    /// The handled events, in order: `before x`, `after x`.
    var handled: [String] { log.withLock { $0 } }

    init(_ script: @escaping Script = { _, _ in }) {
        self.script = script
    }

    nonisolated(nonsending) func handleBeforeCommit<Context: DomainContext>(
        _ event: any DomainEvent,
        in context: Context
    ) async throws {
        log.withLock { $0.append("before \([event].texts[0])") }
        if let context = context as? EntityContext { try await script(event, context) }
    }

    nonisolated(nonsending) func handleAfterCommit(
        _ event: any DomainEvent,
        exceptFor subscriptions: [String]
    ) async {
        log.withLock { $0.append("after \([event].texts[0])") }
    }
}
