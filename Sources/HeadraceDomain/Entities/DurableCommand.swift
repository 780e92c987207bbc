// SPDX-License-Identifier: Apache-2.0

package import Foundation
public import HeadraceStorage

/// A command that can be stored and carried out later.
///
/// ```swift
/// struct SendReminder: CQDCommand, DurableCommand {
///     static let commandName = "send-reminder"
///     var customerId: UUID
/// }
///
/// relay.carryOut(SendReminder.self) { try await dispatcher.dispatch($0) }
/// ```
///
/// `send(_:id:)` and `schedule(_:at:id:)` of an ``EntityContext`` store it together with the changes of a unit of work.
public protocol DurableCommand: Codable, Sendable {
    /// The name under which the command is stored, which must never change, even if the type is renamed.
    static var commandName: String { get }

    /// The version of the command's shape, counting from 1; the default is 1.
    static var commandVersion: Int { get }

    /// The migrations of commands from earlier versions; none by default.
    ///
    /// There must be one migration for each earlier version that may still be stored, in order, up to ``commandVersion``.
    static var commandMigrations: [JSONMigration] { get }
}

extension DurableCommand {
    /// The default, version 1.
    public static var commandVersion: Int { 1 }

    /// No migrations.
    public static var commandMigrations: [JSONMigration] { [] }
}

extension DurableCommand {
    /// The versions that can be decoded; `nil` if the migrations don't lead, version by version, to ``commandVersion``.
    package static var decodableVersions: ClosedRange<Int>? {
        let versions = commandMigrations.map(\.version)
        let first = commandVersion - versions.count
        guard first >= 1, versions == Array(first..<commandVersion) else { return nil }
        return first...commandVersion
    }

    /// Decodes a command that was stored with `version`, which must be one of ``decodableVersions``.
    package static func decode(_ json: Data, version: Int) throws -> Self {
        let current = version < commandVersion ? try commandMigrations.migrate(json, from: version) : json
        return try DocumentCoding.decode(Self.self, from: current)
    }
}
