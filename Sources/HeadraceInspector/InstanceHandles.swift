// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Stands in for texts that contain identifiers which the redaction hides, in requests and responses.
///
/// A text keeps its handle until ``limit`` other texts have received one. After a restart of the program, no handle is known, so a request
/// of an earlier page never reaches another instance.
final class InstanceHandles: Sendable {
    /// Maximum number of handles; the oldest are forgotten.
    static let limit = 5_000

    private struct State {
        var handles: [String: UUID] = [:]
        var texts: [UUID: String] = [:]

        /// The handles in a ring buffer, the oldest at ``next``.
        var order: [UUID] = []
        var next = 0

        mutating func add(_ text: String) -> UUID {
            let handle = UUID()
            if order.count < InstanceHandles.limit {
                order.append(handle)
            } else {
                if let old = texts.removeValue(forKey: order[next]) { handles[old] = nil }
                order[next] = handle
                next = (next + 1) % order.count
            }
            texts[handle] = text
            handles[text] = handle
            return handle
        }
    }

    private let state = Mutex(State())

    /// Returns the handle of `text`.
    func handle(of text: String) -> UUID {
        state.withLock { $0.handles[text] ?? $0.add(text) }
    }

    /// Returns the text that has received `handle`; `nil` if there is none, or if it was forgotten.
    func text(of handle: UUID) -> String? {
        state.withLock { $0.texts[handle] }
    }
}
