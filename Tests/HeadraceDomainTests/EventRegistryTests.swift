// SPDX-License-Identifier: Apache-2.0

import DomainTestSupport
import Foundation
import HeadraceDomain
import HeadraceStorage
import HeadraceTesting
import Testing

@Suite struct EventRegistryTests {
    /// Each version of the event as JSON of that time, and its current value.
    static let golden: [(version: Int, json: String, event: OrderPlaced)] = [
        (1, #"{"id":"7","price":12.5}"#, OrderPlaced(id: 7, cents: 1250, currency: "EUR")),
        (2, #"{"id":7,"price":12.5}"#, OrderPlaced(id: 7, cents: 1250, currency: "EUR")),
        (3, #"{"cents":1250,"currency":"SEK","id":7}"#, OrderPlaced(id: 7, cents: 1250, currency: "SEK")),
        (
            3, #"{"cents":9007199254740993,"currency":"SEK","id":7,"more":null}"#,
            OrderPlaced(id: 7, cents: 9_007_199_254_740_993, currency: "SEK")
        ),
    ]

    struct OrderPlaced: DurableDomainEvent, Equatable {
        static let eventName = "order-placed"
        static let eventVersion = 3
        static let eventMigrations = [
            JSONMigration(from: 1) { event in
                guard case .string(let text) = event["id"], let id = Int64(text) else { throw Failure() }
                event["id"] = .integer(id)
            },
            JSONMigration(from: 2) { event in
                guard case .decimal(let price) = event.removeValue(forKey: "price") else { throw Failure() }
                event["cents"] = .decimal(price * 100)
                event["currency"] = .string("EUR")
            },
        ]

        var id: Int
        var cents: Int
        var currency: String
    }

    private func registry() throws -> EventRegistry {
        var registry = EventRegistry()
        for _ in 1...2 { try registry.register(OrderPlaced.self) }
        return registry
    }

    private func stored(_ json: String, name: String = "order-placed", version: Int) -> NewEvent {
        NewEvent(id: UUID(), name: name, version: version, stream: nil, recordedAt: Date(), json: Data(json.utf8))
    }

    @Test(arguments: golden)
    func everyStoredVersionDecodes(version: Int, json: String, event: OrderPlaced) throws {
        #expect(try registry().decode(stored(json, version: version)) as? OrderPlaced == event)
    }

    @Test(arguments: [
        (#"{}"#, "other", 1, EventError.Code.unknownName), (#"{}"#, "order-placed", 4, .newerVersion),
        (#"{}"#, "order-placed", 0, .olderVersion), (#"{}"#, "order-placed", 3, .undecodable),
        (#"{"id":7}"#, "order-placed", 1, .undecodable), (#"not JSON"#, "order-placed", 2, .undecodable),
    ])
    func whatCannotBeReadSaysWhy(json: String, name: String, version: Int, code: EventError.Code) throws {
        let registry = try registry()

        let error = #expect(throws: EventError.self) {
            try registry.decode(stored(json, name: name, version: version))
        }

        #expect(error?.code == code)
        #expect(error?.message.contains("To fix, ") == true)
    }

    @Test func duplicateNamesAndIncompleteMigrationsAreRefused() throws {
        struct Impostor: DurableDomainEvent { static let eventName = "order-placed" }
        struct Gap: DurableDomainEvent {
            static let eventName = "gap"
            static let eventVersion = 3
            static let eventMigrations = [JSONMigration(from: 1) { _ in }]
        }
        var registry = try registry()

        #expect(throws: EventError.self) { try registry.register(Impostor.self) }
        #expect(throws: EventError.self) { try registry.register(Gap.self) }

        #expect(registry.names == ["order-placed"])
    }

    @Test(arguments: [
        "null", "true", "-1", "9223372036854775807", "0.1", "1e300", #""\u0000é""#, "[1,[2]]", #"{"a":{}}"#,
    ])
    func untypedJSONSurvivesARoundTrip(text: String) throws {
        let value = try JSONDecoder().decode([JSONValue].self, from: Data("[\(text)]".utf8))

        let again = try JSONDecoder().decode([JSONValue].self, from: JSONEncoder().encode(value))

        #expect(value == again)
    }

    /// A migration doesn't change numbers that it doesn't touch.
    @Test func aMigrationPreservesEveryNumber() throws {
        struct Measured: DurableDomainEvent, Equatable {
            static let eventName = "measured"
            static let eventVersion = 2
            static let eventMigrations = [JSONMigration(from: 1) { _ in }]
            var number: Double
        }
        var registry = EventRegistry()
        try registry.register(Measured.self)
        var generator = SeededGenerator(seed: 14)
        let odd: [Double] = [
            -0.0, 0, 0.1, 1e300, .leastNonzeroMagnitude, -2.2250738585072014e-308, .greatestFiniteMagnitude, 1e-127,
            1e-128, 1e127,
            9_007_199_254_740_992, -1e22, 1e38, 123_456_789.123_456_78,
        ]
        let random = (0..<2_000).map { _ in Double(bitPattern: generator.next()) }.filter(\.isFinite)

        for number in odd + random {
            let json = String(decoding: try JSONEncoder().encode(Measured(number: number)), as: UTF8.self)
            let read = try registry.decode(stored(json, name: "measured", version: 1)) as? Measured
            #expect(read?.number.bitPattern == number.bitPattern, "\(number)")
        }
    }

    @Test(arguments: [
        "3243140512478857.038", "-9007199254740991.01", "1.00000000000000000001", "0.00000000000000000001", "1e37",
        "100.00",
    ])
    func aMigrationPreservesTheDigitsOfAnAmount(text: String) throws {
        struct Paid: DurableDomainEvent {
            static let eventName = "paid"
            static let eventVersion = 2
            static let eventMigrations = [JSONMigration(from: 1) { _ in }]
            var amount: Decimal
        }
        var registry = EventRegistry()
        try registry.register(Paid.self)

        let read = try registry.decode(stored(#"{"amount": \#(text)}"#, name: "paid", version: 1)) as? Paid

        #expect(try #require(read).amount == Decimal(string: text))
    }
}
