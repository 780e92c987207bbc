// SPDX-License-Identifier: Apache-2.0

import HeadraceStorage
import HeadraceTesting

/// A store that holds the results of some reads at a gate.
final class HeldReads: StoreDecorator {
    enum Kind: Sendable {
        case find, fetch
    }

    let base: any DeliveryStore
    let gate = Gate()
    private let held: Set<Kind>

    init(_ base: any DeliveryStore, holding held: Set<Kind> = [.find, .fetch]) {
        self.base = base
        self.held = held
    }

    func find(_ reference: EntityReference) async throws -> StoredDocument? {
        let document = try await base.find(reference)
        if held.contains(.find) { await gate.pass() }
        return document
    }

    func find(all references: [EntityReference]) async throws -> [StoredDocument] {
        let documents = try await base.find(all: references)
        if held.contains(.find) { await gate.pass() }
        return documents
    }

    func fetch(_ query: DocumentQuery) async throws -> [StoredDocument] {
        let documents = try await base.fetch(query)
        if held.contains(.fetch) { await gate.pass() }
        return documents
    }
}
