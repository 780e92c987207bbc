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

        /// The shared value that an action is bringing to the station; `nil` if there is no such action.
        var incoming: Value?

        /// Whether the current action has brought the shared value.
        var hasReceived = false
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

    /// Writes the value of the property after an action that has changed it or has brought it.
    ///
    /// - Parameters:
    ///   - new: The value after the action.
    ///   - old: The value before the action.
    ///   - brought: The value in the action; `nil` if the action has none.
    /// - Returns: Whether the station has changed the value.
    func write(_ new: Value, insteadOf old: Value, brought: Value?) -> Bool {
        let base = content.withLock { content in
            let received = brought.flatMap { $0 == content.incoming ? $0 : nil }
            content = Content(known: new, hasReceived: received != nil)
            return received ?? old
        }
        if base == new { return false }
        shared.write(new, insteadOf: base)
        return true
    }

    /// Compares the property after each action with the value that its drippers have left.
    ///
    /// Only the parent changes it otherwise, usually by another state of the child. So the shared value wins. If the parent
    /// refuses the shared value too, the value of the parent wins, so that the two don't alternate for ever.
    func check(_ value: Value) -> SharedCheck<Value> {
        let (known, hadReceived) = content.withLock { content in
            defer {
                content.known = value
                content.hasReceived = false
            }
            return (content.known, content.hasReceived)
        }
        if value == known { return .equal }
        if hadReceived { return .refused(base: known) }
        return takeIncoming().map { .overwritten(by: $0) } ?? .equal
    }
}

/// The comparison of a property with a shared value after an action.
enum SharedCheck<Value> {
    /// The property needs no change.
    case equal

    /// The property must receive the shared value.
    case overwritten(by: Value)

    /// The parent has changed the shared value `base` that the property has received.
    case refused(base: Value)
}
