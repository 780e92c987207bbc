// SPDX-License-Identifier: Apache-2.0

/// A user, service, or job on whose behalf messages are handled.
public protocol Principal: Sendable {
    /// Unique ID of the principal, as shown in logs and stored events.
    var principalID: String { get }
}
