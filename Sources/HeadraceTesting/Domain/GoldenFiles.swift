// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HeadraceDomain
import HeadraceStorage

/// Checks that a type still decodes every stored version of itself.
///
/// A golden file contains sample JSON of one version.
///
/// ```swift
/// @Test func everyVersionOfACustomerDecodes() throws {
///     let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")
///     try GoldenFiles.check(Customer.self, in: folder)       // customer.1.json, customer.2.json, …
///     try GoldenFiles.check(OrderPlaced.self, in: folder)    // order-placed.1.json, …
/// }
/// ```
///
/// Never delete these files: they represent the data in the stores of your users. The file of the current version is also
/// compared with the current encoding, so a change of the format without a new version fails the check.
public enum GoldenFiles {
    /// Checks all versions of an entity: the files `entityName.version.json` in `folder`.
    ///
    /// - Throws: ``GoldenFileError`` for the first file that is missing, can't be decoded, or is outdated.
    public static func check<Entity: StoredEntity>(_ type: Entity.Type, in folder: URL) throws {
        try check(Entity.entityName, through: Entity.schemaVersion, in: folder) { json, version in
            let document = StoredDocument(
                reference: EntityReference(kind: Entity.entityName, key: ""),
                version: 1,
                schemaVersion: version,
                json: json
            )
            let entity: Entity = try DocumentCoding.decode(document)
            return try DocumentCoding.encode(entity)
        }
    }

    /// Checks all versions of an event: the files `eventName.version.json` in `folder`.
    ///
    /// - Throws: ``GoldenFileError`` for the first file that is missing, can't be decoded, or is outdated.
    public static func check<Event: DurableDomainEvent>(_ type: Event.Type, in folder: URL) throws {
        var registry = EventRegistry()
        try registry.register(type)
        try check(Event.eventName, through: Event.eventVersion, in: folder) { [registry] json, version in
            let stored = NewEvent(
                id: UUID(),
                name: Event.eventName,
                version: version,
                stream: nil,
                recordedAt: Date(),
                json: json
            )
            return try DocumentCoding.encode(try registry.decode(stored))
        }
    }

    /// Reads each file, and passes it to `roundTrip`, which decodes and encodes it again.
    private static func check(
        _ name: String,
        through lastVersion: Int,
        in folder: URL,
        _ roundTrip: (_ json: Data, _ version: Int) throws -> Data
    ) throws {
        for version in 1...max(1, lastVersion) {
            let file = "\(name).\(version).json"
            let encoded: Data
            let json: Data
            do {
                json = try Data(contentsOf: folder.appending(path: file))
                encoded = try roundTrip(json, version)
            } catch {
                throw GoldenFileError.unreadable(file, version: version, of: lastVersion, error)
            }
            if version == lastVersion {
                let decoder = JSONDecoder()
                let isSame =
                    try decoder.decode(JSONValue.self, from: json) == decoder.decode(JSONValue.self, from: encoded)
                if !isSame { throw GoldenFileError.changed(file, version: version, encoded: encoded) }
            }
        }
    }
}

/// A golden file is missing, can't be decoded, or differs from the current encoding of its type.
public struct GoldenFileError: Error, Sendable, CustomStringConvertible {
    /// The name of the file.
    public let file: String

    /// A description of the error and its fix.
    public let message: String

    /// The message.
    public var description: String { message }

    static func unreadable(_ file: String, version: Int, of lastVersion: Int, _ error: any Error) -> GoldenFileError {
        GoldenFileError(
            file: file,
            message: """
                '\(file)', version \(version) of \(lastVersion), could not be read and decoded: \(error). \
                To fix, add the file, or change the type so that it decodes this version.
                """
        )
    }

    static func changed(_ file: String, version: Int, encoded: Data) -> GoldenFileError {
        GoldenFileError(
            file: file,
            message: """
                '\(file)' differs from the JSON that version \(version) encodes today: \(String(decoding: encoded, as: UTF8.self)). \
                To fix, increase the version of the type, and add a file for the new version.
                """
        )
    }
}
