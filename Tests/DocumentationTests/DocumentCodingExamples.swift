// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import Headrace
import Testing

@Suite struct DocumentCodingExamples {
    @Test func theTypesOfTheExamplesWriteTheirDocuments() {
        let types: [any DocumentCodable.Type] = [
            Posting.self, ByMacro.Posting.self, Expanded.Posting.self, Customer.self,
        ]

        #expect(types.count == 4)
        #expect(ByMacro.Posting(account: "cash", amount: 1).amount == 1)
    }
}

private struct Posting: Codable {
    let account: String
    let amount: Int
}

extension Posting: DocumentCodable {
    func encode(to encoder: inout DocumentEncoder) throws {
        try encoder.beginObject()
        try encoder.encode(account, forKey: "account")
        try encoder.encode(amount, forKey: "amount")
        encoder.endObject()
    }

    init(from decoder: inout DocumentDecoder) throws {
        try decoder.beginObject()
        account = try decoder.decode(String.self, forKey: "account")
        amount = try decoder.decode(Int.self, forKey: "amount")
        try decoder.endObject()
    }
}

private enum ByMacro {
    @DocumentCodable
    struct Posting: Codable {
        let account: String
        let amount: Int
    }
}

private enum Expanded {
    struct Posting: DocumentCodable {
        let account: String
        let amount: Int

        func encode(to encoder: inout HeadraceDomain.DocumentEncoder) throws {
            try encoder.beginObject()
            try encoder.encode(self.account, forKey: "account")
            try encoder.encode(self.amount, forKey: "amount")
            encoder.endObject()
        }

        init(from decoder: inout HeadraceDomain.DocumentDecoder) throws {
            try decoder.beginObject()
            self.account = try decoder.decode(String.self, forKey: "account")
            self.amount = try decoder.decode(Int.self, forKey: "amount")
            try decoder.endObject()
        }
    }
}

private typealias CustomerID = UUID

private struct Order: Codable {
    let id: UUID
}

private final class Customer: DocumentCodable {
    let id: CustomerID
    private(set) var orders: [Order] = []

    func encode(to encoder: inout HeadraceDomain.DocumentEncoder) throws {
        try encoder.beginObject()
        try encoder.encode(self.id, forKey: "id")
        try encoder.encode(self.orders, forKey: "orders")
        encoder.endObject()
    }

    init(from decoder: inout HeadraceDomain.DocumentDecoder) throws {
        try decoder.beginObject()
        self.id = try decoder.decode(CustomerID.self, forKey: "id")
        self.orders = try decoder.decode([Order].self, forKey: "orders")
        try decoder.endObject()
    }
}
#endif
