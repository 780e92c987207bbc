// SPDX-License-Identifier: Apache-2.0

#if Macros
import Foundation
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite
struct DocumentCodableExpansionTests {
    @Test
    func aStructWritesItsStoredPropertiesInTheOrderOfTheirKeys() {
        expect(
            """
            @DocumentCodable
            public struct Posting: Codable {
                static let limit = 5
                public let name: String
                var amount = 0, `default`: Int?
                var status = Status.open {
                    didSet {}
                }
                var text: String { name }
            }
            """,
            expandsTo: """
                public struct Posting: Codable {
                    static let limit = 5
                    public let name: String
                    var amount = 0, `default`: Int?
                    var status = Status.open {
                        didSet {}
                    }
                    var text: String { name }
                }

                extension Posting: HeadraceDomain.DocumentCodable {
                    public func encode(to encoder: inout HeadraceDomain.DocumentEncoder) throws {
                        try encoder.beginObject()
                        try encoder.encode(self.amount, forKey: "amount")
                        try encoder.encode(self.`default`, forKey: "default")
                        try encoder.encode(self.name, forKey: "name")
                        try encoder.encode(self.status, forKey: "status")
                        encoder.endObject()
                    }
                    public init(from decoder: inout HeadraceDomain.DocumentDecoder) throws {
                        try decoder.beginObject()
                        self.amount = try decoder.decode(Int.self, forKey: "amount")
                        self.`default` = try decoder.decode(Int?.self, forKey: "default")
                        self.name = try decoder.decode(String.self, forKey: "name")
                        self.status = try decoder.decode(forKey: "status")
                        try decoder.endObject()
                    }
                }
                """
        )
    }

    @Test(arguments: [
        ("enum Status: String, Codable", "case open"),
        ("struct Status: RawRepresentable, Codable", "let rawValue: String"),
        ("struct Status: OptionSet, Codable", "var rawValue: Int"),
    ])
    func aRawValueIsWrittenInPlaceOfItsType(type: String, member: String) {
        expect(
            """
            @DocumentCodable
            \(type) {
                \(member)
            }
            """,
            expandsTo: """
                \(type) {
                    \(member)
                }

                extension Status: HeadraceDomain.DocumentCodable {
                    func encode(to encoder: inout HeadraceDomain.DocumentEncoder) throws {
                        try self.rawValue.encode(to: &encoder)
                    }
                    init(from decoder: inout HeadraceDomain.DocumentDecoder) throws {
                        self = try decoder.decode(rawValueOf: Self.self)
                    }
                }
                """
        )
    }

    @Test(arguments: [
        ("struct A: Codable", "enum CodingKeys: CodingKey {}", "it declares 'CodingKeys'"),
        ("struct A: Codable", "init(from decoder: any Decoder) throws {}", "it declares 'init(from:)'"),
        ("struct A: Codable", "func encode(to encoder: any Encoder) throws {}", "it declares 'encode(to:)'"),
        ("struct A: Codable", "lazy var b = 1", "'b' is lazy"),
        ("struct A: Codable", "@Clamped var b: Int", "'b' has an attribute"),
        ("struct A: Codable", "let b = 1", "'b' is a constant with a value"),
        ("struct A: Codable", "var b: Int!", "'b' is an implicitly unwrapped optional"),
        (
            "struct A: Codable", "var größe: Int",
            "'größe' has a name with other characters than ASCII letters, digits, and underscores"
        ),
        ("struct A: Codable", "let (b, c): (Int, Int)", "it declares properties as a tuple"),
        ("struct A<B: Codable>: Codable", "let b: B", "it is generic"),
        ("enum A: Codable", "case b(Int)", "it has no raw values of type 'String' or 'Int'"),
        ("struct A: RawRepresentable", "let rawValue: UUID", "it has no raw values of type 'String' or 'Int'"),
        ("struct A: RawRepresentable", "", "it has no raw values of type 'String' or 'Int'"),
    ])
    func aTypeThatOnlyCodableCanWriteIsRejectedWithTheReason(type: String, member: String, reason: String) {
        expect(
            """
            @DocumentCodable
            \(type) {
                \(member)
            }
            """,
            expandsTo: """
                \(type) {
                    \(member)
                }
                """,
            saying: DiagnosticSpec(
                message: "'@DocumentCodable' can't write this type, because \(reason); 'Codable' can",
                line: 1,
                column: 1,
                fixIts: [FixItSpec(message: "Remove '@DocumentCodable'")]
            )
        )
    }

    @Test
    func aStoredEntityGetsItsWriterAndItsReader() {
        expect(
            """
            @DomainEntity
            final class Customer: StoredEntity {
                let id: UUID

                init(id: UUID) {}
            }
            """,
            expandsTo: """
                final class Customer: StoredEntity {
                    let id: UUID

                    init(id: UUID) {}

                    var raisedEvents = HeadraceDomain.RaisedEvents()

                    func encode(to encoder: inout HeadraceDomain.DocumentEncoder) throws {
                        try encoder.beginObject()
                        try encoder.encode(self.id, forKey: "id")
                        encoder.endObject()
                    }

                    init(from decoder: inout HeadraceDomain.DocumentDecoder) throws {
                        try decoder.beginObject()
                        self.id = try decoder.decode(UUID.self, forKey: "id")
                        try decoder.endObject()
                    }
                }
                """,
            macros: macrosWithoutConformances
        )
    }

    @Test(arguments: [
        ("class Customer: StoredEntity", "init() {}"),
        ("final class Customer: Person, StoredEntity", "init() {}"),
        ("final class Customer: HasDomainEvents", "init() {}"),
        ("final class Customer: StoredEntity", "convenience init(a: Int) {}"),
        ("final class Customer: StoredEntity", "init() {}; enum CodingKeys: CodingKey {}"),
        ("@Observable final class Customer: StoredEntity", "init() {}"),
    ])
    func anotherEntityIsLeftToCodable(type: String, member: String) {
        let observed = type.hasPrefix("@Observable") ? "@ObservationIgnored " : ""
        expect(
            """
            @DomainEntity
            \(type) {
                \(member)
            }
            """,
            expandsTo: """
                \(type) {
                    \(member)

                    \(observed)var raisedEvents = HeadraceDomain.RaisedEvents()
                }
                """,
            macros: macrosWithoutConformances
        )
    }

    @Test
    func aStructCanHaveAPropertyWithTheNameOfTheRaisedEvents() {
        expect(
            """
            @DocumentCodable
            struct Summary: Codable {
                var raisedEvents: Int
            }
            """,
            expandsTo: """
                struct Summary: Codable {
                    var raisedEvents: Int
                }

                extension Summary: HeadraceDomain.DocumentCodable {
                    func encode(to encoder: inout HeadraceDomain.DocumentEncoder) throws {
                        try encoder.beginObject()
                        try encoder.encode(self.raisedEvents, forKey: "raisedEvents")
                        encoder.endObject()
                    }
                    init(from decoder: inout HeadraceDomain.DocumentDecoder) throws {
                        try decoder.beginObject()
                        self.raisedEvents = try decoder.decode(Int.self, forKey: "raisedEvents")
                        try decoder.endObject()
                    }
                }
                """
        )
    }

    /// The entity of the benchmark and the entity of the tests with random values are written by hand.
    @Test(arguments: [
        "Benchmarks/Sources/UnitOfWorkSubjects/GeneratedAccount.swift",
        "Tests/HeadraceDomainTests/Support/Parcel.swift",
    ])
    func aHandWrittenEntityIsTheExpansion(path: String) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../\(path)")
        let lines = try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false
        )
        .filter { !$0.contains("///") }
        let start = try #require(lines.firstIndex { $0.contains("final class") })
        let expanded = try #require(lines[start...].firstIndex { $0.contains("var raisedEvents") })
        let end = try #require(lines[expanded...].firstIndex(of: "}"))
        let source = lines[start..<expanded - 1] + ["}"]

        expect(
            "@DomainEntity\n" + source.joined(separator: "\n"),
            expandsTo: lines[start...end].joined(separator: "\n"),
            macros: macrosWithoutConformances
        )
    }
}
#endif
