// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
@testable import HeadracePostgres
import HeadraceStorage
import Testing

/// A process that is stopped while the server answers it.
@Suite(.needsServer, .enabled(if: TestServer.folder != nil), .timeLimit(.minutes(5))) struct SuspendedClientTests {
    /// `bytes` is the length of the part of the answers that the process still reads: none, and more than the answer of the lease.
    @Test(arguments: [0, 400_000])
    func aClientThatIsStoppedDuringItsLeaseStopsNoOtherClient(bytes: Int) async throws {
        try await withSchema { schema in
            let proxy = try CuttingProxy(before: try #require(TestServer.folder) + "/.s.PGSQL.5432")
            defer { proxy.close() }
            var configuration = schema.configuration
            configuration.lockTimeout = .seconds(2)
            let other = try await PostgresStore(url: schema.url, entities: [Note.self], configuration: configuration)
            for number in 0..<80 { try await other.commit(.large(number)) }
            let url = "host=127.0.0.1 port=\(proxy.port) user=headrace dbname=postgres"
            let stopped = try await PostgresStore(url: url, entities: [Note.self], configuration: configuration)

            // The second connection of a store is for deliveries.
            proxy.arm(.stopAnswers(after: bytes), for: 1)
            let leasing = Task { try await stopped.lease(.all) }
            await proxy.waitForFault()
            var count = 0
            for number in 0..<200 {
                try await other.commit(.note("\(number)"))
                count += 1
            }

            #expect(count == 200)
            proxy.resumeAnswers()
            let leased = try await leasing.value
            #expect(leased.lanes.count == 80)
            try stopped.close()
            try other.close()
        }
    }

    @Test func theAnswerToALeaseIsSmall() async throws {
        try await withSchema { schema in
            let store = try await schema.open()
            for number in 0..<256 { try await store.commit(.large(number, size: 1_000, count: 16)) }
            let rows = try await schema.session { session in
                try await session.run(
                    LeaseProcedure.call(in: schema.quotedName),
                    [
                        .text(nil), .text(nil), .byteStrings([[UInt8]("a")]), .integer(256), .integer(16), .integer(1),
                        .integer(2), .integer(9), .flag(false), .integers([]), .byteStrings([]), .integers([]),
                        .integers([]), .integers([0]), .integer(0),
                    ],
                    isAlone: true
                )
            }

            #expect(try rows.first?.optionalIntegers(1)?.count == 256 * LeaseProcedure.laneWidth)
            #expect(rows.bytes.count < 32_000)
            try store.close()
        }
    }

    @Test func aLeaseWithoutRoomTakesNoLock() async throws {
        try await withSchema { schema in
            var configuration = schema.configuration
            configuration.lockTimeout = .milliseconds(100)
            let store = try await PostgresStore(url: schema.url, entities: [Note.self], configuration: configuration)
            try await store.commit(.large(0, size: 10))
            try await schema.session { session in
                _ = try await session.run("BEGIN", isPrepared: false, isAlone: true)
                _ = try await session.run("SELECT \(CommitProcedure.lock)", isPrepared: false)

                var request = LeaseRequest.all
                request.laneLimit = 0
                let leased = try await store.lease(request)

                #expect(leased.lanes.isEmpty)
                await #expect(throws: StoreError.self) { try await store.lease(.all) }
            }
            try store.close()
        }
    }
}

extension LeaseRequest {
    fileprivate static var all: LeaseRequest {
        LeaseRequest(
            subscriptions: ["a"], laneLimit: 256, batchLimit: 16, now: Date(timeIntervalSince1970: 1_700_000_000),
            duration: .seconds(3_600))
    }
}

extension ChangeSet {
    /// Adds `count` events of one stream, each with `size` bytes.
    fileprivate static func large(_ number: Int, size: Int = 1_000_000, count: Int = 1) -> ChangeSet {
        var changes = ChangeSet()
        for event in 0..<count {
            changes.events.append(
                NewEvent(
                    id: UUID(), name: "large", version: 1,
                    stream: EntityReference(kind: "note", key: "large \(number)"),
                    recordedAt: Date(timeIntervalSince1970: 1_700_000_000),
                    json: Data(#""\#(String(repeating: "x", count: size))""#.utf8)))
            changes.deliveries.append(NewDelivery(event: event, subscription: "a"))
        }
        return changes
    }
}
#endif
