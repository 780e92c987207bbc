// SPDX-License-Identifier: Apache-2.0

#if Client
public import Foundation
public import HeadraceCommands
import HeadraceCore
public import HeadraceDomain

/// A command that a device keeps until its server has carried it out.
///
/// ```swift
/// struct RenameNote: OfflineCommand {
///     static let commandName = "rename-note"
///     let note: UUID
///     let title: String
///
///     var orderKey: String { note.uuidString }
/// }
/// ```
///
/// If the shape of the command changes, raise its `commandVersion` and add a migration: the new version of the app then sends the
/// commands that the old one has kept.
public protocol OfflineCommand: CQDCommand, DurableCommand {
    /// The key of the order, such as the identifier of the entity that the command changes.
    ///
    /// Commands with one key are carried out one after the other, as they were sent. If one of them is rejected, those after it wait.
    /// Commands with other keys go on.
    var orderKey: String { get }
}

/// A command that a device has sent, and that its server hasn't carried out yet.
public struct PendingCommand: Sendable, Identifiable, Hashable {
    /// An error of an attempt to send a command.
    public struct Failure: Sendable, Hashable, Codable {
        /// The code of the error, such as `unreachable`.
        public let code: String

        /// A description of the error.
        public let message: String
    }

    /// The key of the command, which no other command has.
    public let id: UUID

    /// The `commandName` of its type.
    public let name: String

    /// The ``OfflineCommand/orderKey``.
    public let orderKey: String

    /// The time at which the command was sent.
    public let sentAt: Date

    /// Number of attempts that have failed.
    public let attempts: Int

    /// The error of the last attempt; `nil` if there is none.
    public let failure: Failure?

    /// Whether the server has refused the command for good.
    ///
    /// Otherwise, the command is sent again.
    public let isRejected: Bool

    /// The error of the command's handler on the device, after the commands before it; `nil` without a ``PredictedStore``.
    ///
    /// The command is sent nevertheless, and the server decides.
    public let conflict: Failure?

    private let version: Int
    private let json: Data

    init(_ stored: StoredOfflineCommand) {
        id = stored.id
        name = stored.name
        orderKey = stored.orderKey
        sentAt = stored.sentAt
        attempts = stored.attempts
        failure = stored.failure
        isRejected = stored.isRejected
        conflict = stored.conflict
        version = stored.version
        json = Data(stored.json.utf8)
    }

    /// Returns the command, migrated to the present version of its type; `nil` if it has another type.
    ///
    /// - Throws: `DecodingError`, or an error of a migration, if the program can't read the command.
    public func command<Command: OfflineCommand>(as type: Command.Type) throws -> Command? {
        name == Command.commandName ? try Command.decode(kept: json, version: version) : nil
    }
}

extension PendingCommand.Failure {
    init(_ error: any Error) {
        let coded = error as? any CodedError
        code = coded?.codeName ?? "\(type(of: error))"
        message = coded?.message ?? "\(error)"
    }
}

/// The types of commands that an API has, by their names.
struct OfflineCommandTypes: Sendable {
    private let types: [String: any OfflineCommand.Type]

    init(_ api: MessageAPI) {
        let types = api.routes.compactMap { $0.message as? any OfflineCommand.Type }
        self.types = Dictionary(types.map { ($0.commandName, $0) }) { first, _ in first }
    }

    func type(named name: String) throws -> any OfflineCommand.Type {
        if let type = types[name] { return type }
        throw DispatchError.unknown(name)
    }
}

extension OfflineCommand {
    /// Decodes a command that this program, or another version of it, has kept.
    static func decode(kept json: Data, version: Int) throws -> Self {
        if decodableVersions?.contains(version) == true { return try decode(json, version: version) }
        throw DecodingError.dataCorrupted(
            DecodingError.Context(
                codingPath: [],
                debugDescription:
                    "The command '\(commandName)' has version \(version), which the program can't read. To fix, update the program."
            )
        )
    }
}
#endif
