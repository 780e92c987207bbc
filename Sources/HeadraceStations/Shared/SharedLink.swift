//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// Keeps a property of one station and a shared state equal.
///
/// Its methods are called on the actor of the station.
final class SharedLink<Value: Equatable & Sendable>: Sendable {
    private struct Content {
        /// The value that the property had last.
        var known: Value

        /// The value that an action is bringing to the station; `nil` if there is no such action.
        var incoming: Value?
    }

    let changes: AsyncStream<Void>
    private let shared: SharedState<Value>
    private let content: Mutex<Content>

    init(_ shared: SharedState<Value>, known: Value) {
        self.shared = shared
        content = Mutex(Content(known: known))
        changes = shared.changes()
    }

    /// Returns the shared value if the property has another value.
    func takeIncoming() -> Value? {
        let value = shared.value
        return content.withLock { content in
            if value == content.known { return nil }
            content.incoming = value
            return value
        }
    }

    /// Forgets the value that an action has brought, because the action was reduced or refused.
    func endIncoming() {
        content.withLock { $0.incoming = nil }
    }

    /// Writes the value of the property, unless the station has received it.
    func propertyHas<Action: Sendable>(_ value: Value) -> Effect<Action> {
        let base = content.withLock { content -> Value? in
            if value == content.known { return nil }
            defer { content = Content(known: value) }
            return content.incoming ?? content.known
        }
        guard let base, base != value else { return .none }
        shared.write(value, insteadOf: base)
        let shared = shared
        return shared.needsSave ? .run { _ in try await shared.save() } : .none
    }
}
