// SPDX-License-Identifier: Apache-2.0

/// The send that a handler belongs to, with its nesting.
@usableFromInline
struct SendFrame: Sendable {
    /// Number of sends that contain this send.
    @usableFromInline var depth: Int

    /// Whether the send handles an action that `transformError` made; errors below it aren't transformed again.
    @usableFromInline var isTransformed: Bool

    @inlinable
    init(depth: Int = 0, isTransformed: Bool = false) {
        self.depth = depth
        self.isTransformed = isTransformed
    }

    /// Returns the frame of a send within this send.
    ///
    /// - Throws: ``ServiceError`` with the code `ServiceError.Code.tooDeep` if `limit` is reached.
    func inner(sending action: Any.Type, limit: Int) throws -> SendFrame {
        guard depth < limit else { throw ServiceError.tooDeep(action, limit: limit) }
        return SendFrame(depth: depth + 1, isTransformed: isTransformed)
    }

    /// The same frame for an action that `transformError` made.
    var transformed: SendFrame { SendFrame(depth: depth, isTransformed: true) }
}
