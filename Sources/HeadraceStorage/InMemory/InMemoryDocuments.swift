//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The documents of an ``InMemoryStore`` by kind and key.
struct InMemoryDocuments {
    private struct Kind {
        let name: String
        var documents: [BytewiseString: StoredDocument] = [:]
    }

    /// A store has few kinds, and comparing their names is faster than hashing one.
    private var kinds: [Kind] = []

    /// The documents of the kind `name`, by key.
    subscript(name: String) -> [BytewiseString: StoredDocument] {
        index(of: name).map { kinds[$0].documents } ?? [:]
    }

    /// Returns the document of an entity, or `nil` if there is none.
    func find(_ reference: EntityReference) -> StoredDocument? {
        index(of: reference.kind).flatMap { kinds[$0].documents[BytewiseString(reference.key)] }
    }

    /// Keeps `document` instead of the document with the same reference.
    mutating func update(_ document: StoredDocument) {
        let index = index(of: document.reference.kind) ?? add(document.reference.kind)
        kinds[index].documents[BytewiseString(document.reference.key)] = document
    }

    /// Removes the document of an entity.
    mutating func remove(_ reference: EntityReference) {
        guard let index = index(of: reference.kind) else { return }
        kinds[index].documents[BytewiseString(reference.key)] = nil
    }

    private func index(of name: String) -> Int? {
        kinds.firstIndex { $0.name == name }
    }

    private mutating func add(_ name: String) -> Int {
        kinds.append(Kind(name: name))
        return kinds.count - 1
    }
}
