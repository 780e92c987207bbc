// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A receiver of posted transactions in another program.
public protocol Webhook: Sendable {
    /// Sends an event, and returns when the receiver has accepted it.
    ///
    /// - Parameters:
    ///   - body: The event as JSON.
    ///   - id: The identifier of the event. It is the same in each attempt, so that the receiver can detect
    ///     repetitions.
    /// - Throws: An error if the receiver hasn't accepted the event. Then the event is sent again later.
    func send(_ body: Data, id: UUID) async throws
}
