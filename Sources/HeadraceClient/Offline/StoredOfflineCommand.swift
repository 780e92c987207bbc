// SPDX-License-Identifier: Apache-2.0

#if Client
public import Foundation
import HeadraceCore
public import HeadraceDomain
import HeadraceStorage

/// A command of an ``OfflineDispatcher`` in the store of the device: add the type to the `entities` of the store.
///
/// ```swift
/// let store = try SQLiteStore(path: path, entities: [StoredOfflineCommand.self])
/// ```
///
/// ``OfflineDispatcher`` reads and changes it.
public final class StoredOfflineCommand: StoredEntity {
    /// The name under which commands are stored.
    public static let entityName = "headrace.offline-command"

    /// The order in which commands were sent.
    public static var indexes: [EntityIndex<StoredOfflineCommand>] { [.number] }

    /// The key of the command, with which the server recognizes a repetition.
    public let id: UUID

    /// A number that is greater than the numbers of all earlier commands in the store.
    ///
    /// Two units of work at the same time may use the same number.
    let number: Int

    let name: String
    let version: Int
    let json: String
    let orderKey: String
    let sentAt: Date

    /// The message that has sent the command, which is the cause of all attempts.
    let origin: MessageOrigin
    private(set) var attempts = 0
    private(set) var failure: PendingCommand.Failure?
    private(set) var isRejected = false

    /// Whether the server has carried the command out, but the entities of the device don't have its effect yet.
    var isAcknowledged = false

    /// The error of the handler in the last prediction.
    var conflict: PendingCommand.Failure?

    /// The events of the command: none.
    public var raisedEvents = RaisedEvents()

    init(_ command: some OfflineCommand, number: Int) throws {
        id = UUID.version7()
        self.number = number
        name = type(of: command).commandName
        version = type(of: command).commandVersion
        json = String(decoding: try DocumentCoding.encode(command), as: UTF8.self)
        orderKey = command.orderKey
        sentAt = SystemValues.currentDate
        origin = .current
    }

    /// Notes a failed attempt.
    func fail(_ failure: PendingCommand.Failure, isRejected: Bool) {
        attempts += 1
        self.failure = failure
        self.isRejected = isRejected
    }

    /// Lets the command be sent again.
    func forgetFailure() {
        failure = nil
        isRejected = false
    }
}

extension EntityIndex<StoredOfflineCommand> {
    static var number: Self { EntityIndex("number") { $0.number } }
}
#endif
