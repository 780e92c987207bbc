// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceStorage
import Synchronization

/// Leases lanes and reads their deliveries.
struct Leasing: Sendable {
    /// Maximum number of lanes in a request, because the positions in an array are numbers of 32 bits.
    private static let mostLanes = 1_000_000

    /// A leased lane, as the procedure returns it.
    struct Lane {
        let lease: Lease

        /// The place of the subscription in the request.
        let subscription: Int
        let attempts: Int
        let mayHaveRun: Bool
        let unknownSince: Int64?

        /// The last position that is leased.
        let place: Int64

        /// Whether it had never been leased.
        let isNew: Bool

        /// - Throws: ``PostgresFailure`` if a value is missing.
        fileprivate init(_ values: ArraySlice<Int64?>) throws {
            let numbers = values.map { $0 ?? 0 }
            guard numbers.count == LeaseProcedure.laneWidth else {
                throw PostgresFailure.refused(state: "22004", message: "a leased lane has \(numbers.count) values")
            }
            lease = Lease(lane: numbers[0], token: numbers[1])
            subscription = Int(numbers[2]) - 1
            attempts = Int(numbers[3])
            mayHaveRun = numbers[4] == 1
            unknownSince = values[values.startIndex + 5]
            place = numbers[6]
            isNew = numbers[7] == 1
        }
    }

    let session: Session
    let target: SessionTarget
    let check: SchemaCheck
    let hints: LeaseHints

    func lease(_ request: LeaseRequest, checksClocks: Bool) async throws -> LeasedDeliveries {
        let subscriptions = PostgresValue.byteStrings(request.subscriptions.map { [UInt8]($0) })
        // Without room, the request only asks which subscriptions are paused.
        let lanes = request.laneLimit > 0 ? try await lanes(of: request, subscriptions, checksClocks: checksClocks) : []
        async let next = session.run(LeaseProcedure.nextDue, [subscriptions, .integer(request.now.milliseconds)])
        var leased = LeasedDeliveries()
        // A store that another program has locked out has no use for later leases. Leased lanes are handled, or given back, first.
        async let usable: Void? = lanes.isEmpty ? check.requireCurrent(on: session) : nil
        if !lanes.isEmpty { leased.lanes = try await deliveries(of: lanes, request) }
        let states = try await next.rows
        _ = try await usable
        leased.nextDue = states.compactMap { $0.optionalInteger(0) }.min().map(Date.init(milliseconds:))
        leased.paused = Set(states.compactMap { $0.optionalText(1) })
        // A process that began a replay may have ended.
        for name in states.compactMap({ $0.optionalText(2) }) {
            do {
                if try await Replaying(session: session).advance(name, waits: false) != nil {
                    leased.nextDue = request.now
                }
            } catch  where !leased.lanes.isEmpty {
                // The leased lanes would wait for the end of their leases. The next request tries again.
                continue
            }
        }
        return leased
    }

    /// Leases lanes; when this returns, the leases are on the disk, and the lock is free.
    private func lanes(
        of request: LeaseRequest,
        _ subscriptions: PostgresValue,
        checksClocks: Bool
    ) async throws -> [Lane] {
        var known: [(subscription: Int64, message: KnownMessage)] = []
        for (index, name) in request.subscriptions.enumerated() {
            known += (request.known[name] ?? []).map { (Int64(index + 1), $0) }
        }
        let end = request.now.advanced(by: request.duration).milliseconds
        let hint = hints.read(request.subscriptions)
        let rows = try await session.run(
            LeaseProcedure.call(in: target.quotedSchema),
            target.callSettings + [
                subscriptions, .integer(Int64(min(request.laneLimit, Self.mostLanes))),
                .integer(Int64(request.batchLimit)),
                .integer(request.now.milliseconds), .integer(max(1, end)), .integer(end), .flag(checksClocks),
                .integers(known.map(\.subscription)), .byteStrings(known.map { [UInt8]($0.message.name) }),
                .integers(known.map { Int64($0.message.versions.lowerBound) }),
                .integers(known.map { Int64($0.message.versions.upperBound) }),
                .integers(hint.lanes), .integer(hint.replays),
            ],
            isAlone: true
        )
        guard let row = rows.first, let values = try row.optionalIntegers(1) else { return [] }
        let lanes = try stride(from: 0, to: values.count, by: LeaseProcedure.laneWidth).map {
            try Lane(values[$0..<min($0 + LeaseProcedure.laneWidth, values.count)])
        }
        // A crash of the server takes back no lease from here on, so it can't make a lane new again.
        hints.note(lanes, of: request.subscriptions, replays: try row.integer(0))
        return lanes
    }

    /// Reads the deliveries of leased lanes.
    private func deliveries(of lanes: [Lane], _ request: LeaseRequest) async throws -> [[Delivery]] {
        let rows = try await session.run(
            LeaseProcedure.messages,
            [
                .integers(lanes.map(\.lease.lane)), .integers(lanes.map(\.lease.token)), .integers(lanes.map(\.place)),
            ]
        )
        var batches: [[Delivery]] = []
        for row in rows.rows {
            let lane = lanes[Int(try row.integer(0)) - 1]
            let isFirst = batches.last?.last?.lease != lane.lease
            let delivery = Delivery(
                lease: lane.lease,
                position: try row.integer(1),
                subscription: request.subscriptions[lane.subscription],
                attempt: isFirst ? lane.attempts + 1 : 1,
                mayHaveRun: lane.mayHaveRun,
                unknownSince: isFirst ? lane.unknownSince.map(Date.init(milliseconds:)) : nil,
                isReplay: try row.flag(2),
                content: try DocumentRows.content(row, from: 3)
            )
            if isFirst { batches.append([delivery]) } else { batches[batches.count - 1].append(delivery) }
        }
        return batches
    }
}

/// The last new lane of each subscription that this store has leased.
///
/// Lanes have ascending numbers and are leased in this order, so the search for new lanes begins behind it. Otherwise, it
/// would read the index entries of all lanes that are done but not vacuumed yet, for example while a report has a
/// snapshot open.
///
/// A replay makes old lanes new again, so the database counts replays, and ignores hints from before. For a server that
/// has lost its last transactions in a failover, hints are forgotten after some seconds.
final class LeaseHints: Sendable {
    private struct State {
        var lanes: [String: Int64] = [:]
        var replays: Int64 = -1
        var start = ContinuousClock.now
    }

    /// Time until all hints are forgotten.
    private static let lifetime = Duration.seconds(10)

    private let state = Mutex(State())

    /// Returns the hints for `subscriptions`, 0 without one, and the number of replays for which they are valid.
    func read(_ subscriptions: [String]) -> (lanes: [Int64?], replays: Int64) {
        state.withLock { state in
            if ContinuousClock.now > state.start + Self.lifetime { state = State() }
            return (subscriptions.map { state.lanes[$0] ?? 0 }, state.replays)
        }
    }

    /// Notes the new lanes among `lanes`, whose leases are on the disk of the server.
    func note(_ lanes: [Leasing.Lane], of subscriptions: [String], replays: Int64) {
        state.withLock { state in
            if replays != state.replays {
                state = State()
                state.replays = replays
            }
            for lane in lanes where lane.isNew {
                let subscription = subscriptions[lane.subscription]
                state.lanes[subscription] = max(state.lanes[subscription] ?? 0, lane.lease.lane)
            }
        }
    }
}

/// The server's time, as the local time and the offset that was measured last.
final class ServerClock: Sendable {
    /// A measurement whose round trip takes longer is ignored, because the server can have read its clock at any time within it.
    private static let longestRoundTrip = Duration.milliseconds(100)

    /// The offset in seconds; `nil` before the first measurement.
    private let offset = Mutex<TimeInterval?>(nil)

    /// Seconds that the server's clock is ahead of the local clock; 0 before the first measurement.
    var lead: TimeInterval { offset.withLock { $0 ?? 0 } }

    /// The time of the server.
    var now: Date { Date().addingTimeInterval(lead) }

    /// Measures the offset with one question to the server.
    func measure(on session: Session) async throws {
        let (begin, start) = (Date(), ContinuousClock.now)
        let rows = try await session.run("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")
        let roundTrip = start.duration(to: .now)
        guard let server = try rows.first?.integer(0) else { return }
        note(Date(milliseconds: server), after: begin, roundTrip: roundTrip)
    }

    /// Notes that the server has read the time `server` in the `roundTrip` that began at `begin`.
    ///
    /// The first measurement always counts, because no better one exists.
    func note(_ server: Date, after begin: Date, roundTrip: Duration) {
        let middle = begin.addingTimeInterval(roundTrip / .seconds(2))
        offset.withLock { offset in
            if offset == nil || roundTrip <= Self.longestRoundTrip { offset = server.timeIntervalSince(middle) }
        }
    }
}
#endif
