// SPDX-License-Identifier: Apache-2.0

/// The types of entity that a store keeps, with their stored names.
public struct EntitySchema: Sendable {
    /// An index of a kind.
    public struct Index: Hashable, Sendable {
        /// The name of the index, unique within the kind.
        public let name: String

        /// Whether each value belongs to at most one entity.
        public let isUnique: Bool

        /// Whether each entity has at most one value in the index.
        public let holdsOneValue: Bool

        /// Creates the description of an index.
        public init(name: String, isUnique: Bool, holdsOneValue: Bool) {
            self.name = name
            self.isUnique = isUnique
            self.holdsOneValue = holdsOneValue
        }
    }

    /// One type of entity.
    public struct Kind: Sendable {
        /// The stored name of the type.
        public let name: String

        /// The schema version of the type.
        public let schemaVersion: Int

        /// The indexes of the type, in declaration order.
        public let indexes: [Index]

        /// Returns the entries of a stored document in all indexes, to rebuild them.
        ///
        /// It throws if the entries depend on other documents; `entries(of:reading:)`
        /// reads them.
        public let entries: @Sendable (_ document: StoredDocument) throws -> Set<ChangeSet.IndexEntry>

        /// Begins to compute the entries of a document from other documents, or `nil` if its own content is enough.
        private let computation: (@Sendable (_ document: StoredDocument) throws -> any IndexEntryComputation)?

        /// Creates a kind, with a function that returns the entries of a stored document in all indexes.
        public init(
            name: String,
            schemaVersion: Int,
            indexes: [Index],
            entries: @escaping @Sendable (_ document: StoredDocument) throws -> Set<ChangeSet.IndexEntry>
        ) {
            self.name = name
            self.schemaVersion = schemaVersion
            self.indexes = indexes
            self.entries = entries
            computation = nil
        }

        /// Creates a kind whose index entries depend on other documents, too.
        package init(
            name: String,
            schemaVersion: Int,
            indexes: [Index],
            computation: @escaping @Sendable (_ document: StoredDocument) throws -> any IndexEntryComputation
        ) {
            self.name = name
            self.schemaVersion = schemaVersion
            self.indexes = indexes
            self.computation = computation
            entries = { document in
                let computation = try computation(document)
                if !computation.nextReferences().isEmpty {
                    throw StoreError.invalidSchema(
                        "The index entries of the \(document.reference) depend on other documents, which this store doesn't read."
                    )
                }
                return try computation.entries()
            }
        }

        /// Returns the entries of a stored document in all indexes, to rebuild them.
        ///
        /// - Parameters:
        ///   - document: The document.
        ///   - read: Returns the documents of several entities. Missing documents are left out.
        /// - Returns: The entries.
        /// - Throws: The errors of `read`; ``StoreError`` and the errors of `HeadraceDomain` if a document can't be decoded.
        public func entries(
            of document: StoredDocument,
            reading read: (_ references: [EntityReference]) throws -> [StoredDocument]
        ) throws -> Set<ChangeSet.IndexEntry> {
            guard var computation = try computation?(document) else { return try entries(document) }
            while true {
                let references = computation.nextReferences()
                if references.isEmpty { return try computation.entries() }
                try computation.take(Dictionary(try read(references).map { ($0.reference, $0) }) { first, _ in first })
            }
        }

        /// Returns the entries of a stored document in all indexes, as the synchronous variant does.
        ///
        /// - Throws: The same errors.
        public nonisolated(nonsending) func entries(
            of document: StoredDocument,
            reading read: nonisolated(nonsending) (_ references: [EntityReference]) async throws -> [StoredDocument]
        ) async throws -> Set<ChangeSet.IndexEntry> {
            try await entries(of: [document], reading: read).first ?? []
        }

        /// Returns the entries of several stored documents in all indexes, in the same order.
        ///
        /// It calls `read` as seldom as possible: once for many documents, with about 1,000 references or more.
        ///
        /// - Throws: The same errors.
        public nonisolated(nonsending) func entries(
            of documents: [StoredDocument],
            reading read: nonisolated(nonsending) (_ references: [EntityReference]) async throws -> [StoredDocument]
        ) async throws -> [Set<ChangeSet.IndexEntry>] {
            guard let computation else { return try documents.map { try entries($0) } }
            var results: [Set<ChangeSet.IndexEntry>] = Array(repeating: [], count: documents.count)
            var unfinished: [(index: Int, computation: any IndexEntryComputation)] = []
            for (index, document) in documents.enumerated() { unfinished.append((index, try computation(document))) }
            while true {
                var wanted: [EntityReference] = []
                var remaining: [(index: Int, computation: any IndexEntryComputation)] = []
                var reading = 0
                for (index, computation) in unfinished {
                    if wanted.count < 1_000 {
                        let references = computation.nextReferences()
                        if references.isEmpty {
                            results[index] = try computation.entries()
                            continue
                        }
                        wanted += references
                        reading += 1
                    }
                    remaining.append((index, computation))
                }
                if remaining.isEmpty { return results }
                var found: [EntityReference: StoredDocument] = [:]
                for document in try await read(wanted) { found[document.reference] = document }
                for index in 0..<reading { try remaining[index].computation.take(found) }
                unfinished = remaining
            }
        }
    }

    /// The kinds, in the order of the initializer's parameter.
    public let kinds: [Kind]

    private let names: Set<String>

    /// Creates a schema of `kinds`.
    ///
    /// - Throws: ``StoreError`` with the code `invalidSchema` if two kinds have the same name, a name is empty, or two
    ///   indexes of a kind have the same name.
    public init(kinds: [Kind]) throws {
        self.kinds = kinds
        names = Set(kinds.map(\.name))
        for kind in kinds {
            if kind.name.isEmpty { throw StoreError.invalidSchema("The name of a kind of entity is empty.") }
            if kinds.count(where: { $0.name == kind.name }) > 1 {
                throw StoreError.invalidSchema("Two types of entity have the entityName '\(kind.name)'.")
            }
            if Set(kind.indexes.map(\.name)).count < kind.indexes.count {
                throw StoreError.invalidSchema("Two indexes of '\(kind.name)' have the same name.")
            }
        }
    }

    /// Whether the schema contains the kind `name`.
    public func contains(_ name: String) -> Bool {
        // Comparing a few texts is faster than hashing one.
        kinds.count <= 8 ? kinds.contains { $0.name == name } : names.contains(name)
    }

    /// Requires that the kind of `query` declares the indexes of its conditions and its order.
    ///
    /// A store calls it before a fetch. Without it, a misspelled index would match nothing. A kind that the schema doesn't contain
    /// has no documents, so it isn't an error.
    ///
    /// - Throws: ``StoreError`` with the code `unknownIndex`.
    public func requireIndexes(of query: DocumentQuery) throws {
        if query.conditions.isEmpty && query.order == nil { return }
        guard let kind = kinds.first(where: { $0.name == query.kind }) else { return }
        for name in query.conditions.map(\.index) + [query.order?.index].compactMap(\.self)
        where !kind.indexes.contains(where: { $0.name == name }) {
            throw StoreError.unknownIndex(name, of: kind)
        }
    }

    /// Whether `index` of the kind `name` is unique.
    public func isUnique(_ index: String, of name: String) -> Bool {
        kinds.first { $0.name == name }?.indexes.first { $0.name == index }?.isUnique ?? false
    }
}

extension StoreError {
    /// A query uses `index`, which `kind` doesn't declare.
    fileprivate static func unknownIndex(_ index: String, of kind: EntitySchema.Kind) -> StoreError {
        let names = kind.indexes.map { "'\($0.name)'" }.joined(separator: ", ")
        return StoreError(
            code: .unknownIndex,
            message: """
                A query uses the index '\(index)', but the type '\(kind.name)' declares \
                \(names.isEmpty ? "no index" : "only \(names)"). Nothing was read. To fix, add the index to the 'indexes' of the \
                type, or correct its name.
                """
        )
    }
}

extension EntitySchema.Kind {
    /// Returns why a program with this declaration can't share a store with programs that have the stored declaration.
    ///
    /// - Parameters:
    ///   - version: The stored schema version.
    ///   - stored: The stored indexes.
    /// - Returns: The difference, for messages; `nil` if both can share the store.
    package func obstacle(toSharingWithVersion version: Int, indexes stored: [EntitySchema.Index]) -> String? {
        if schemaVersion > version {
            return "'\(name)' is stored with schema version \(version), and this program has version \(schemaVersion)"
        }
        let changed = stored.first { other in indexes.contains { $0.name == other.name && $0 != other } }
        return changed.map { "the index '\($0.name)' of '\(name)' has other properties in this program" }
    }
}

/// Computes the index entries of one document from other documents, which the store reads step by step.
package protocol IndexEntryComputation {
    /// Returns the documents to read next; empty at the end.
    func nextReferences() -> [EntityReference]

    /// Continues with the documents of ``nextReferences()`` that are stored.
    mutating func take(_ documents: [EntityReference: StoredDocument]) throws

    /// Returns the entries, at the end.
    func entries() throws -> Set<ChangeSet.IndexEntry>
}
