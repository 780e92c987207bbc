// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import HeadraceDomain
import HeadraceMacros
import HeadraceStorage
import Testing

@Suite
struct DocumentCodableUseTests {
    @Test
    func anEntityIsStoredAsTheJSONOfCodableAndReadAgain() async throws {
        let store = try InMemoryStore(entities: [Invoice.self])
        let invoice = Invoice(id: InvoiceID(rawValue: "i"))
        invoice.lines = [Line(amount: 2, text: "tea", kind: .goods), Line(amount: nil, text: "é\"", kind: .service)]
        invoice.tags = ["b": 1]

        try await UnitOfWork(on: store, delegator: NoDelegator()).execute { $0.insert(invoice) }

        let document = try await store.find(EntityReference(kind: "invoice", key: "i"))
        #expect(
            document.map { String(decoding: $0.json, as: UTF8.self) } == """
                {"id":"i","isPaid":false,"lines":[{"amount":2,"kind":1,"text":"tea"},{"kind":2,"text":"é\\""}],"tags":{"b":1}}
                """
        )
        let copy = try await EntityContext(store).find(Invoice.self, id: InvoiceID(rawValue: "i"))
        #expect(copy?.lines == invoice.lines && copy?.tags == ["b": 1] && copy?.isPaid == false && copy?.note == nil)
    }

    @Test
    func theMembersAreUsedByTheProtocol() {
        let types: [any DocumentCodable.Type] = [Invoice.self, Line.self, InvoiceID.self, Line.Kind.self]

        #expect(types.count == 4)
    }
}

// MARK: Fixtures

private struct NoDelegator: DomainEventDelegator {
    func handleBeforeCommit<Context: DomainContext>(_ event: any DomainEvent, in context: Context) async throws {}
    func handleAfterCommit(_ event: any DomainEvent, exceptFor subscriptions: [String]) async {}
}

@DocumentCodable
private struct InvoiceID: RawRepresentable, EntityIdentifier {
    let rawValue: String
}

@DocumentCodable
private struct Line: Codable, Equatable {
    @DocumentCodable
    fileprivate enum Kind: Int, Codable {
        case goods = 1
        case service
    }

    let amount: Int?
    private(set) var text: String
    var kind: Kind

    init(amount: Int?, text: String, kind: Kind) {
        self.amount = amount
        self.text = text
        self.kind = kind
    }
}

@DomainEntity
private final class Invoice: StoredEntity {
    static let entityName = "invoice"

    let id: InvoiceID
    var lines: [Line] = []
    var tags: [String: Int] = [:]
    var isPaid = false
    private(set) var note: String?

    init(id: InvoiceID) {
        self.id = id
    }
}
#endif
