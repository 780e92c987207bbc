// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
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

        /// Number of received values that the station has changed, one soon after the other.
        var answerCount = 0

        /// The instant of the last of these changes.
        var lastAnswer: ContinuousClock.Instant?

        /// Counts a change of a received value, and returns whether it may be written.
        ///
        /// Two stations that each change the value of the other one would do so for ever.
        mutating func mayAnswer(at now: ContinuousClock.Instant) -> Bool {
            if let lastAnswer, lastAnswer.duration(to: now) < .seconds(1) { answerCount += 1 } else { answerCount = 1 }
            lastAnswer = now
            return answerCount <= SharedLink.answerLimit
        }
    }

    /// Maximum number of changes of received values with less than a second between two of them.
    private static var answerLimit: Int { 100 }

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
    /// - Returns: Whether the station has changed the value, and the change was written.
    func write(_ new: Value, insteadOf old: Value, brought: Value?) -> Bool {
        let now = SystemValues.current.clock.now
        let base: Value? = content.withLock { content in
            let received = brought.flatMap { $0 == content.incoming ? $0 : nil }
            content.known = new
            content.incoming = nil
            content.hasReceived = received != nil
            if let received {
                return received == new || content.mayAnswer(at: now) ? received : nil
            }
            if brought == nil { content.answerCount = 0 }
            return old
        }
        guard let base, base != new else { return false }
        shared.write(new, insteadOf: base)
        return true
    }

    /// Compares the property after each action with the value that its drippers have left.
    ///
    /// Only the parent changes it otherwise, usually by another state of the child. So the shared value wins. If the parent
    /// refuses the shared value too, the value of the parent wins, so that the two don't alternate for ever.
    func check(_ value: Value) -> SharedCheck<Value> {
        let now = SystemValues.current.clock.now
        let (known, hadReceived, mayAnswer) = content.withLock { content in
            defer {
                content.known = value
                content.hasReceived = false
            }
            let isAnswer = content.hasReceived && content.known != value
            return (content.known, content.hasReceived, isAnswer && content.mayAnswer(at: now))
        }
        if value == known { return .equal }
        if hadReceived { return mayAnswer ? .refused(base: known) : .equal }
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
