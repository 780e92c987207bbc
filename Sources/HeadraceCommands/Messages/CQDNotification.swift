// SPDX-License-Identifier: Apache-2.0

/// A message that any number of handlers receive, and that returns nothing.
///
/// ```swift
/// struct SeatWasReserved: CQDNotification {
///     let seat: String
/// }
///
/// try await dispatcher.publish(SeatWasReserved(seat: "A1"))
/// ```
///
/// A notification is kept in memory only, and needs no entity. A durable domain event is stored with the changes of a unit of
/// work.
public protocol CQDNotification: Sendable {}
