// SPDX-License-Identifier: Apache-2.0

import Foundation
public import HeadraceDomain
import HeadraceJSON
public import HeadraceStations
public import HeadraceStorage

/// A document of a store with the JSON of a ``HeadraceStations/SharedState``, which several processes can share.
///
/// ```swift
/// let store = try SQLiteStore(path: path, entities: [StoredSharedState.self])
/// let settings = try await SharedState(in: SharedDocument("settings", of: store), default: Settings())
/// ```
///
/// The store must have been opened with ``StoredSharedState``. Each replacement is one commit, which checks the version, so
/// two processes that replace the document at the same time lose no change.
public struct SharedDocument<Value: Codable & Sendable>: SharedStorage {
    private let name: String
    private let store: any EntityStore
    private let durability: Durability

    /// Creates a storage in a document of `store`, which is created when a value is stored.
    ///
    /// - Parameters:
    ///   - name: The name of the document, unique among the shared states of the store.
    ///   - store: The store.
    ///   - durability: The durability of each commit.
    public init(_ name: String, of store: any EntityStore, durability: Durability = .durable) {
        self.name = name
        self.store = store
        self.durability = durability
    }

    /// Returns the value in the document; `nil` if the document doesn't exist.
    ///
    /// - Throws: ``HeadraceStations/SharedStateError`` with the code `damaged` if the document isn't a value, and `unavailable` if
    ///   the store can't be read; `CancellationError`.
    public nonisolated(nonsending) func load() async throws -> Value? {
        try await reportingUnavailability {
            try await EntityContext(store).find(StoredSharedState.self, id: name).map { try decode($0) }
        }
    }

    /// Replaces the document, again if another writer was faster.
    ///
    /// - Throws: ``HeadraceStations/SharedStateError`` with the code `damaged` if the document isn't a value, `unencodable` if the
    ///   new value can't be encoded, and `unavailable` if the store can't be read or written; `CancellationError`. Then the
    ///   document is unchanged, with one exception: if the cause is a `StoreError` with the code `outcomeUnknown`, the new value
    ///   may have been stored.
    public nonisolated(nonsending) func replace(by change: @Sendable (_ stored: Value?) -> Value) async throws -> Value
    {
        try await reportingUnavailability {
            while true {
                try Task.checkCancellation()
                let context = EntityContext(store, durability: durability)
                let document = try await context.find(StoredSharedState.self, id: name)
                let value = change(try document.map { try decode($0) })
                do {
                    let json = String(decoding: try JSONDocumentEncoder.encode(value), as: UTF8.self)
                    if let document {
                        document.json = json
                    } else {
                        context.insert(StoredSharedState(id: name, json: json))
                    }
                } catch {
                    throw SharedStateError.unencodable(name, Value.self, error)
                }
                do {
                    try await context.commit([])
                    return value
                } catch let error as StoreError where Self.conflicts.contains(error.code) {
                    // Each conflict means that another writer has succeeded, so this ends.
                    continue
                }
            }
        }
    }

    /// The codes of a commit that another writer has overtaken.
    private static var conflicts: Set<StoreError.Code> { [.versionConflict, .alreadyExists] }

    private func decode(_ document: StoredSharedState) throws -> Value {
        do {
            return try JSONDocumentDecoder.decode(Value.self, from: Data(document.json.utf8))
        } catch {
            throw SharedStateError.damaged(name, Value.self, error)
        }
    }

    private nonisolated(nonsending) func reportingUnavailability<Result>(
        _ operation: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        do {
            return try await operation()
        } catch let error as StoreError where error.code == .undeclaredEntity {
            throw SharedStateError.undeclared(name, StoredSharedState.self, error)
        } catch let error as StoreError {
            throw SharedStateError.unavailable(name, error)
        }
    }
}

/// The document of a ``SharedDocument``.
///
/// Add it to the entities of the store.
public final class StoredSharedState: StoredEntity {
    /// The name of the entity type in the store.
    public static let entityName = "headrace.sharedState"

    /// The name of the shared state.
    public let id: String

    /// The value, as JSON.
    fileprivate(set) var json: String

    /// No events are raised.
    public var raisedEvents = RaisedEvents()

    fileprivate init(id: String, json: String) {
        self.id = id
        self.json = json
    }
}
