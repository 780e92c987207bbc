// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceDomain
import HeadraceStorage

/// The store of a check, and functions for its expectations.
struct StoreFixture {
    let openStore: nonisolated(nonsending) (_ entities: [any StoredEntity.Type]) async throws -> any EntityStore

    nonisolated(nonsending) func open() async throws -> any EntityStore {
        try await openStore([ContractEntity.self])
    }

    /// Opens the store, runs `body` and releases the store.
    nonisolated(nonsending) func withStore<Result>(
        _ entities: [any StoredEntity.Type] = [ContractEntity.self],
        _ body: nonisolated(nonsending) (any EntityStore) async throws -> Result
    ) async throws -> Result {
        try await body(try await openStore(entities))
    }
}

/// Throws unless `condition` is true.
func require(
    _ condition: Bool,
    _ expectation: String,
    _ observation: @autoclosure () -> String = "it is not true",
    fileID: String = #fileID,
    line: Int = #line
) throws {
    if !condition {
        throw ContractViolation(
            expectation: expectation,
            observation: observation(),
            fileID: fileID,
            line: line
        )
    }
}

/// Throws unless `actual` is `expected`.
func requireEqual<Item: Equatable>(
    _ actual: Item,
    _ expected: Item,
    _ subject: String,
    fileID: String = #fileID,
    line: Int = #line
) throws {
    try require(actual == expected, "\(subject) is \(expected)", "it is \(actual)", fileID: fileID, line: line)
}

/// Throws unless the keys of `documents` are `expected`, byte for byte and in that order.
func requireKeys(
    _ documents: [StoredDocument],
    _ expected: [String],
    _ subject: String,
    fileID: String = #fileID,
    line: Int = #line
) throws {
    let actual = documents.map(\.reference.key)
    try require(
        actual.map { Array($0.utf8) } == expected.map { Array($0.utf8) },
        "\(subject) returns \(summary(expected))",
        "it returns \(summary(actual))",
        fileID: fileID,
        line: line
    )
}

private func summary(_ keys: [String]) -> String {
    let shown = keys.prefix(20).map { $0.debugDescription.prefix(60) }.joined(separator: ", ")
    return keys.count > 20 ? "[\(shown), … \(keys.count) in all]" : "[\(shown)]"
}

extension EntityStore {
    /// Commits `changes`, which must be refused with one of `codes`.
    @discardableResult
    nonisolated(nonsending) func refuse(
        _ changes: ChangeSet,
        with codes: Set<StoreError.Code>,
        _ subject: String,
        fileID: String = #fileID,
        line: Int = #line
    ) async throws -> StoreError {
        let expectation = "\(subject) is refused with \(codes.map(\.description).sorted().joined(separator: " or "))"
        do {
            try await commit(changes)
        } catch let error as StoreError {
            try require(codes.contains(error.code), expectation, "\(error)", fileID: fileID, line: line)
            return error
        } catch {
            throw ContractViolation(
                expectation: expectation,
                observation: "\(type(of: error)): \(error)",
                fileID: fileID,
                line: line
            )
        }
        throw ContractViolation(expectation: expectation, observation: "it is stored", fileID: fileID, line: line)
    }

    /// The variant of ``refuse(_:with:_:fileID:line:)`` with a set of codes.
    @discardableResult
    nonisolated(nonsending) func refuse(
        _ changes: ChangeSet,
        with code: StoreError.Code,
        _ subject: String,
        fileID: String = #fileID,
        line: Int = #line
    ) async throws -> StoreError {
        try await refuse(changes, with: [code], subject, fileID: fileID, line: line)
    }

    /// Returns the documents that match a test in an index.
    nonisolated(nonsending) func fetch(where index: String, _ test: IndexPredicate) async throws -> [StoredDocument] {
        try await fetch(
            DocumentQuery(
                kind: ContractEntity.entityName,
                conditions: [DocumentQuery.Condition(index: index, test: test)]
            )
        )
    }

    /// Returns the documents in the order of an index.
    nonisolated(nonsending) func fetch(
        orderedBy index: String,
        descending: Bool = false,
        limit: Int? = nil
    ) async throws -> [StoredDocument] {
        try await fetch(
            DocumentQuery(
                kind: ContractEntity.entityName,
                order: DocumentQuery.Order(index: index, isDescending: descending),
                limit: limit
            )
        )
    }

    /// Returns the whole visible content of the store.
    nonisolated(nonsending) func contents() async throws -> VisibleContents {
        var indexes: [[String]] = []
        for index in ["rank", "label", "code"] {
            indexes.append(try await fetch(where: index, .range(from: nil, below: nil)).map(\.reference.key))
            indexes.append(try await fetch(orderedBy: index).map(\.reference.key))
            indexes.append(try await fetch(orderedBy: index, descending: true).map(\.reference.key))
        }
        return VisibleContents(
            documents: try await fetch(DocumentQuery(kind: ContractEntity.entityName)),
            indexes: indexes,
            events: try await events(after: 0, limit: .max)
        )
    }
}

/// The visible content of a store.
struct VisibleContents: Equatable {
    let documents: [StoredDocument]
    let indexes: [[String]]
    let events: [EventRecord]
}

/// A store broke a promise of ``StoreContract``.
public struct ContractViolation: Error, Sendable, CustomStringConvertible {
    /// The behaviour that the contract promises.
    public let expectation: String

    /// The behaviour of the store.
    public let observation: String

    /// The file of the check, in the form of `#fileID`.
    public let fileID: String

    /// The line of the check, counting from 1.
    public let line: Int

    /// The expectation, the observation, and the location of the check.
    public var description: String {
        "Expected that \(expectation); observed: \(observation) (\(fileID):\(line))"
    }
}
