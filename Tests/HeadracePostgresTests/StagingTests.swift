// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceCore
import HeadraceDomain
@testable import HeadracePostgres
import HeadraceRelay
import HeadraceStorage
import HeadraceTesting
import Testing

/// Other clients of the database raise events and send commands in their transactions.
@Suite(.needsServer, .timeLimit(.minutes(2))) struct StagingTests {
    @Test(.enabled(if: TestProgram.folder != nil))
    func psqlRaisesEventsInItsTransactions() async throws {
        try await withBench { bench in
            try await bench.schema.run("CREATE TABLE ordered (id text)")
            try await withRelay(bench.relay()) {
                try await psql(
                    bench.schema.url, "BEGIN", "INSERT INTO \(bench.name).ordered VALUES ('a')",
                    bench.raise(1, of: "a"),
                    "ROLLBACK")
                try await psql(
                    bench.schema.url, "BEGIN", "INSERT INTO \(bench.name).ordered VALUES ('b')",
                    bench.raise(2, of: "b"),
                    "SAVEPOINT s", bench.raise(3, of: "b"), "ROLLBACK TO s", bench.raise(4, of: "b"), "COMMIT")
                await bench.desk.wait(for: 2)
            }

            #expect(bench.desk.lines == ["b 2", "b 4"])
            #expect(try await bench.schema.run("SELECT id FROM ordered").rows.map { try $0.text(0) } == ["b"])
            try await requireNothingLeft(bench)
        }
    }

    @Test(.needsPooler) func eventsThatAreRaisedBehindAPoolerArrive() async throws {
        let pooler = try await Pooler(size: 6)
        defer { pooler.stop() }
        try await withSchema { schema in
            let bench = try await StagingBench(schema, url: pooler.url, isPooled: true)
            // No notification arrives.
            try await withRelay(bench.relay(pollInterval: .milliseconds(20))) {
                try await psql(
                    pooler.url, "BEGIN", bench.raise(1, of: "a"), bench.raise(2, of: "a"),
                    "SELECT \(bench.name).send('charge-order', '{\"order\":\"a\"}')", "COMMIT")
                await bench.desk.wait(for: 3)
            }

            #expect(bench.desk.lines.filter { $0.hasPrefix("a") } == ["a 1", "a 2"])
            #expect(bench.desk.lines.contains("charged a"))
            try bench.store.close()
        }
    }

    @Test func manyEventsOfATransactionArriveOnceInOrderWithOneNotification() async throws {
        try await withBench { bench in
            let count = 10_000
            let notices = StagingDesk()
            let thread = try PollingThread()
            defer { thread.stop() }
            let target = SessionTarget(
                url: bench.schema.url, schema: bench.schema.name, connectTimeout: 10, timeout: .seconds(60),
                lockTimeout: .seconds(10))
            let listener = try await Session.connect(target, on: thread) { notices.note($0) }
            let channel = CommitNotice.channel(of: bench.schema.name)
            _ = try await listener.run("LISTEN \(channel)", isPrepared: false)

            try await bench.schema.run(
                """
                SELECT count(raise('order-placed', jsonb_build_object('order', 'a', 'number', n), 'order', 'a'))
                FROM generate_series(1, \(count)) n
                """)
            try await bench.schema.run("SELECT pg_notify('\(channel)', 'end')")
            await notices.wait(for: 2)
            let documents = try await bench.drain()

            #expect(notices.lines.count == 2)
            let notice = try #require(CommitNotice(payload: notices.lines[0]))
            #expect(notice.hasDeliveries && notice.subjects == [])
            let numbers = try documents.map {
                try JSONDecoder().decode(OrderPlaced.self, from: Data($0.utf8)).number
            }
            #expect(numbers == Array(1...count))
        }
    }

    @Test func aRelayHandlesMoreRowsThanALeaseMoves() async throws {
        try await withBench { bench in
            let count = StagedMessages.batchLimit * 2 + 1
            try await bench.schema.run(
                """
                SELECT count(raise(
                    'order-placed', json_build_object('order', (n % 7)::text, 'number', n), 'order', (n % 7)::text
                )) FROM generate_series(1, \(count)) n
                """)
            // No poll is due meanwhile.
            try await withRelay(bench.relay(pollInterval: .seconds(1_000))) { await bench.entries.wait(for: count) }

            for order in 0..<7 {
                let numbers = try await bench.numbers(of: "\(order)")
                #expect(numbers == Array(stride(from: order == 0 ? 7 : order, through: count, by: 7)))
            }
            try await requireNothingLeft(bench)
        }
    }

    /// The test sets the time at which the watch ends.
    @Test func aWatchEndsWhenNoClientHasLeftOutItsNotification() async throws {
        try await withBench { bench in
            let request = LeaseRequest(
                subscriptions: [ScheduledMessage.subscription], laneLimit: 99, batchLimit: 1,
                now: Date(timeIntervalSince1970: 1_700_000_000), duration: .seconds(10))
            let soon = request.now.milliseconds + 5
            for number in 1...20 { try await bench.schema.run(bench.raise(number, of: "\(number)")) }
            #expect(try await bench.store.lease(request).nextDue?.milliseconds == soon)
            let (far, over) = ("SELECT setval('staged_watch', \(1 << 50))", "SELECT setval('staged_watch', 1)")
            try await bench.schema.run(far)

            try await bench.schema.session { session in
                let seen = bench.store.deliverySignal.position
                _ = try await session.run("BEGIN", isPrepared: false)
                _ = try await session.run(bench.raise(1, of: "a"), isPrepared: false)
                try await bench.schema.run(over)
                // The open transaction didn't notify, so the relay watches on.
                let watching = try await bench.store.lease(request)
                #expect(watching.lanes.isEmpty && watching.nextDue?.milliseconds == soon)
                // A client after the end of a watch notifies, and its lock is no obstacle for the next watch.
                try await bench.schema.run(over, bench.raise(1, of: "b"))
                try await bench.store.deliverySignal.wait(after: seen)
                #expect(try await bench.store.lease(request).lanes.count == 1)
                try await bench.schema.run(over)
                _ = try await session.run("COMMIT", isPrepared: false)
            }

            let last = try await bench.store.lease(request)
            #expect(last.lanes.count == 1)
            #expect(last.nextDue == request.now.addingTimeInterval(10))
            #expect(try await bench.schema.run("SELECT last_value FROM staged_watch").first?.integer(0) == 0)
        }
    }

    @Test func largeDocumentsAreMovedAFewAtATime() async throws {
        try await withBench { bench in
            try await bench.schema.run(
                """
                SELECT count(send('charge-order', jsonb_build_object('order', repeat('x', 1 << 20) || n)))
                FROM generate_series(1, 20) n
                """)

            let first = try await bench.store.lease(
                LeaseRequest(
                    subscriptions: [ScheduledMessage.subscription], laneLimit: 99, batchLimit: 1,
                    now: Date(timeIntervalSince1970: 1_700_000_000), duration: .seconds(10)))

            #expect(first.lanes.count == 8)
            #expect(first.nextDue == Date(timeIntervalSince1970: 1_700_000_000))
            #expect(try await bench.drain().count == 12)
        }
    }

    @Test func anOpenTransactionDelaysNoWriter() async throws {
        try await withBench { bench in
            try await withRelay(bench.relay()) {
                try await bench.schema.session { session in
                    _ = try await session.run("BEGIN", isPrepared: false)
                    _ = try await session.run(bench.raise(0, of: "late"), isPrepared: false)
                    try await withThrowingTaskGroup { group in
                        for number in 1...64 {
                            group.addTask { try await bench.store.commit(.note("\(number)")) }
                            group.addTask { try await bench.schema.run(bench.raise(number, of: "soon \(number)")) }
                        }
                        try await group.waitForAll()
                    }
                    await bench.desk.wait(for: 64)
                    let locks = try await session.run(
                        "SELECT mode FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory'")
                    // No writer takes the lock exclusively, and the relays only try to.
                    #expect(try locks.rows.map { try $0.text(0) } == ["ShareLock"])
                    _ = try await session.run("COMMIT", isPrepared: false)
                }
                await bench.desk.wait(for: 65)
            }

            #expect(bench.desk.lines.last == "late 0")
            #expect(Set(bench.desk.lines).count == 65)
        }
    }

    @Test func commandsRunAtTheirTimeUnlessTheyAreCancelled() async throws {
        try await withBench { bench in
            let now = Date(timeIntervalSince1970: 1_700_000_000)
            let document = #"{"order":"a"}"#
            try await bench.schema.run(
                "SELECT send('charge-order', '\(document)')",
                "SELECT schedule('charge-order', '\(document)', to_timestamp(1700000060.5))",
                "SELECT cancel(schedule('charge-order', '\(document)', now()))",
                "SELECT cancel(send('charge-order', '\(document)'))",
                "SELECT cancel('00000000-0000-0000-0000-00000000000a')",
                "SELECT send('charge-order', '\(document)', id => '00000000-0000-0000-0000-00000000000A')")

            let first = try await messages(bench, now)
            let later = try await messages(bench, now.addingTimeInterval(60.6))
            #expect(first.map(\.dueAt) == [now, now])
            #expect(first.last?.id == UUID(uuidString: "00000000-0000-0000-0000-00000000000A"))
            #expect(later.map(\.dueAt) == [now.addingTimeInterval(60.5)])

            // A unit of work cancels a message that no lease has moved.
            let row = try await bench.schema.run(
                "SELECT schedule('charge-order', '\(document)', to_timestamp(1700000062))"
            ).first
            try await bench.store.commit(cancelling(try #require(try row?.id(0))))
            #expect(try await messages(bench, now.addingTimeInterval(63)) == [])
        }
    }

    /// The head, then one behind the head, of a lane that a relay has leased.
    @Test(arguments: [1, 2])
    func aCancellationLeavesTheOtherEventsOfTheStream(cancelled: Int) async throws {
        try await withBench { bench in
            let now = Date(timeIntervalSince1970: 1_700_000_000)
            var ids: [UUID] = []
            for number in 1...3 {
                ids.append(try #require(try await bench.schema.run(bench.raise(number, of: "a")).first?.id(0)))
            }
            let request = LeaseRequest(
                subscriptions: [ScheduledMessage.subscription], laneLimit: 9, batchLimit: 9, now: now,
                duration: .seconds(10))
            let leased = try #require(try await bench.store.lease(request).lanes.first)

            try await bench.store.commit(cancelling(ids[cancelled - 1]))

            // The relay has begun the cancelled event, so its settlement is refused.
            let settlement = Settlement(
                lease: leased[0].lease, acknowledged: leased.map(\.position), end: .finished(now: now))
            #expect(try await bench.store.settle([settlement]) == [leased[0].lease])
            var later = request
            later.now = now.addingTimeInterval(11)
            // After an attempt without an outcome, a lease has one delivery.
            var left: [UUID] = []
            while let lane = try await bench.store.lease(later).lanes.first {
                left += lane.compactMap { $0.content.message?.id }
                _ = try await bench.store.settle([
                    Settlement(lease: lane[0].lease, acknowledged: lane.map(\.position), end: .finished(now: later.now))
                ])
            }
            #expect(left == ids.filter { $0 != ids[cancelled - 1] })
        }
    }

    @Test func aPauseKeepsStagedMessages() async throws {
        try await withBench { bench in
            try await bench.schema.run(bench.raise(1, of: "a"))
            #expect(try await bench.drain().count == 1)
            #expect(try await bench.store.pause(ScheduledMessage.subscription, at: Date()))
            try await bench.schema.run(bench.raise(2, of: "a"))

            #expect(try await bench.drain() == [])
            #expect(try await bench.store.deliveryStatistics().pendingCount == 1)
            _ = try await bench.store.resume(ScheduledMessage.subscription)
            #expect(try await bench.drain().count == 1)
        }
    }

    @Test func aRelayThatWantsNoScheduledMessagesMovesNone() async throws {
        try await withBench { bench in
            try await bench.schema.run(bench.raise(1, of: "a"))

            let leased = try await bench.store.lease(
                LeaseRequest(
                    subscriptions: ["note-order"], laneLimit: 9, batchLimit: 9,
                    now: Date(timeIntervalSince1970: 1_700_000_000), duration: .seconds(10)))

            #expect(leased.lanes.isEmpty)
            #expect(try await bench.store.deliveryStatistics().subscriptions.map(\.pendingCount) == [1])
            #expect(try await bench.schema.run("SELECT 1 FROM staged").count == 1)
        }
    }

    @Test func aMessageThatNoRelayKnowsWaitsForARelayThatKnowsIt() async throws {
        try await withBench { bench in
            let later = #"'{"order":"a","number":1}', 'order', 'a', version => 2"#
            try await bench.schema.run(
                "SELECT raise('Order-placed', '{}')", "SELECT raise('order-placed', \(later))", bench.raise(2, of: "a"),
                bench.raise(3, of: "b"))
            try await withRelay(bench.relay()) { await bench.desk.wait(for: 1) }
            #expect(bench.desk.lines == ["b 3"])

            // The event behind the unknown one waits, too.
            let pending = try await bench.store.pendingDeliveries(
                PendingDeliveryRequest(subscription: ScheduledMessage.subscription, now: Date()))
            let names = pending.compactMap { $0.content.message?.name }.sorted()
            #expect(names == ["Order-placed", "order-placed", "order-placed"])
            try await bench.schema.run(
                "UPDATE scheduled_message SET version = 1", "UPDATE lane SET unknown_version = 1")
            try await withRelay(bench.relay()) { await bench.desk.wait(for: 3) }

            #expect(bench.desk.lines == ["b 3", "a 1", "a 2"])
        }
    }

    @Test func aTypedStatementRaisesTheSameEventWithItsOrigin() async throws {
        try await withBench { bench in
            let event = OrderPlaced(order: "a \"b\" 'c'", number: 7, text: "\u{0}é\u{1F600}")
            let source = EntityReference(kind: "order", key: "a'; \"")
            let context = MessageContext(kind: .command, type: ChargeOrder.self)
            let (typed, command, scheduled) = try MessageContext.withCurrent(context) {
                (
                    try bench.store.statement(raising: event, for: source),
                    try bench.store.statement(sending: ChargeOrder(order: "a")),
                    try bench.store.statement(
                        scheduling: ChargeOrder(order: "b"), at: Date(timeIntervalSince1970: 1_600_000_000.123))
                )
            }
            let cancelled = try bench.store.statement(sending: ChargeOrder(order: "c"))
            let cancellation = bench.store.statement(cancelling: cancelled.messageID)
            for statement in [typed, command, scheduled, cancelled, cancellation] {
                try await bench.schema.session { session in
                    _ = try await session.run("SET search_path = pg_catalog", isPrepared: false)
                    _ = try await session.run(
                        statement.sql, statement.arguments.map { .text($0.text.map { Array($0.utf8) }) })
                }
            }

            let messages = try await messages(bench, Date(timeIntervalSince1970: 1_700_000_000))

            let raised = try #require(messages.first { $0.id == typed.messageID })
            #expect(try JSONDecoder().decode(OrderPlaced.self, from: raised.json).text == event.text)
            #expect(raised.stream == source)
            #expect(raised.origin.causationID == context.id)
            #expect(raised.origin.correlationID == context.correlationID)
            #expect(Set(messages.map(\.id)) == [typed.messageID, command.messageID, scheduled.messageID])
            #expect(
                messages.first { $0.id == scheduled.messageID }?.dueAt == Date(timeIntervalSince1970: 1_600_000_000.123)
            )
            #expect(throws: StoreError.self) {
                try bench.store.statement(
                    scheduling: ChargeOrder(order: "b"), at: Date(timeIntervalSince1970: .infinity))
            }
        }
    }

    @Test func aUnitOfWorkCanRaiseByPlainSQL() async throws {
        try await withBench { bench in
            var changes = ChangeSet.note("a")
            changes.work = [StatementWork(sql: bench.raise(1, of: "a"), arguments: [])]
            try await bench.store.commit(changes)
            var wrong = ChangeSet.note("b")
            wrong.work = [StatementWork(sql: "SELECT \(bench.name).raise('', '{}')", arguments: [])]
            let refused = wrong

            let error = await #expect(throws: PostgresStatementError.self) { try await bench.store.commit(refused) }

            #expect(error?.code.sqlState == StagedMessages.Refusal.name.rawValue)
            #expect(try await bench.drain().count == 1)
        }
    }

    private func messages(_ bench: StagingBench, _ now: Date) async throws -> [ScheduledMessage] {
        let leased = try await bench.store.lease(
            LeaseRequest(
                subscriptions: [ScheduledMessage.subscription], laneLimit: 99, batchLimit: 1, now: now,
                duration: .seconds(10_000)))
        return leased.lanes.flatMap(\.self).compactMap {
            if case .scheduled(let message) = $0.content { message } else { nil }
        }
    }

    private func cancelling(_ id: UUID) -> ChangeSet {
        var changes = ChangeSet()
        changes.cancellations = [id]
        return changes
    }

    private func psql(_ url: String, _ statements: String...) async throws {
        try await TestProgram.run(
            "psql", ["-q", "-v", "ON_ERROR_STOP=1", "-d", url] + statements.flatMap { ["-c", $0] })
    }

    private func requireNothingLeft(_ bench: StagingBench) async throws {
        for table in ["staged", "scheduled_message", "dead_letter"] {
            #expect(try await bench.schema.run("SELECT count(*) FROM \(table)").first?.integer(0) == 0, "\(table)")
        }
    }
}
#endif
