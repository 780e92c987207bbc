// SPDX-License-Identifier: Apache-2.0

import Floor
import Foundation
import HeadraceRelay

/// The rows of the table.
struct Rows {
    /// Leases that end soon, to measure the takeover.
    static var quickLeases: Relay.Configuration {
        var configuration = Relay.Configuration()
        configuration.leaseDuration = .seconds(1)
        configuration.pollInterval = .milliseconds(500)
        return configuration
    }

    private let url: String
    private let subject: Subject
    private let schema: String
    private let rounds: Int
    private let waiting: Int
    private let many: Int
    private let names: Set<String>

    /// The arguments: `rounds=5`, `waiting=100000`, `many=1000000`, `--check`, and names of rows; all rows without a name.
    init(url: String, arguments: [String]) async throws {
        func number(_ name: String, _ other: Int) -> Int {
            arguments.first { $0.hasPrefix(name + "=") }.flatMap { Int($0.dropFirst(name.count + 1)) } ?? other
        }
        self.url = url
        rounds = number("rounds", 5)
        waiting = number("waiting", 100_000)
        many = number("many", 0)
        names = Set(arguments.filter { !$0.contains("=") && !$0.hasPrefix("--") })
        schema = "benchmark \(UUID())"
        guard floor_prepare(url) == 0 else { throw FloorError() }
        subject = try await Subject(url: url, schema: schema)
    }

    struct FloorError: Error {}

    /// Prints the table, and returns whether all targets are met.
    func run() async throws -> Bool {
        say("row                                   Headrace      floor   ratio  target")
        var isMet = true
        let all: [(String, () async throws -> Row)] = [
            ("callers64", { try await commits(64, target: 0.8) }),
            ("callers256", { try await commits(256, target: 1) }),
            ("processes4", processes),
            ("caller1", oneCaller),
            ("relay1", { try await relay(workers: 1) }),
            ("relay4", { try await relay(workers: 4) }),
            ("write", handlersThatWrite),
            ("wake", wake),
            ("handled", handled),
            ("raise", raise),
            ("takeover", takeover),
        ]
        for (name, row) in all where names.isEmpty || names.contains(name) {
            let row = try await row()
            say("\(row)")
            isMet = isMet && row.isMet
        }
        if many > 0 {
            let row = try await manyWaiting()
            say("\(row)")
            isMet = isMet && row.isMet
        }
        return isMet
    }

    // MARK: Commits

    /// Runs `body` between two runs of the floor, several times, and returns the medians.
    private func compare(
        _ name: String,
        target: Double,
        floor: () async throws -> Double,
        _ body: () async throws -> Double
    ) async throws -> Row {
        var (rates, floors): ([Double], [Double]) = ([], [])
        for _ in 0..<rounds {
            let before = try await floor()
            rates.append(try await body())
            floors.append((before + (try await floor())) / 2)
        }
        return Row(name, rates: rates, floors: floors, atLeast: target)
    }

    private func batches() throws -> Double {
        let rate = floor_batches(url, 1, 64)
        if rate < 0 { throw FloorError() }
        return rate
    }

    private func commits(_ callers: Int, target: Double) async throws -> Row {
        let seconds = 1.5
        return try await compare("commits a second, \(callers) callers", target: target, floor: batches) {
            Double(try await subject.commit(callers: callers, seconds: seconds, prefix: "\(UUID())").count) / seconds
        }
    }

    private func processes() async throws -> Row {
        let seconds = 2.0
        return try await compare("commits a second, 4 processes of 64", target: 1.4, floor: batches) {
            let workers = try (0..<4).map { _ in try WorkerProcess(["commit", schema, "64", "\(seconds)"]) }
            for worker in workers { worker.start() }
            let counts = workers.map { Double($0.readLine() ?? "") ?? 0 }
            for worker in workers { worker.wait() }
            return counts.reduce(0, +) / seconds
        }
    }

    private func oneCaller() async throws -> Row {
        var (medians, floors): ([Double], [Double]) = ([], [])
        for _ in 0..<rounds {
            var times = [Double](repeating: 0, count: 300)
            if floor_commits(url, 300, &times) != 0 { throw FloorError() }
            medians.append(median(try await subject.commit(callers: 1, seconds: 1, prefix: "\(UUID())")))
            var again = [Double](repeating: 0, count: 300)
            if floor_commits(url, 300, &again) != 0 { throw FloorError() }
            floors.append(median(times + again))
        }
        return Row("milliseconds of a commit, 1 caller", rates: medians, floors: floors, atMost: 1.5)
    }

    // MARK: Deliveries

    private func floorRelay(_ workers: Int32, _ count: Int) throws -> Double {
        if floor_fill(url, count) != 0 { throw FloorError() }
        let rate = floor_relay(url, workers, 200)
        if rate < 0 { throw FloorError() }
        return rate
    }

    private func relay(workers: Int) async throws -> Row {
        var (rates, floors): ([Double], [Double]) = ([], [])
        for _ in 0..<max(1, rounds / 2) {
            floors.append(try floorRelay(Int32(workers), waiting))
            try await subject.fill(waiting, of: Count.subscriptionName)
            rates.append(try await drain(waiting, workers: workers))
        }
        return Row("deliveries a second, \(workers) processes", rates: rates, floors: floors, atLeast: 0.5)
    }

    private func drain(_ count: Int, workers: Int) async throws -> Double {
        if workers == 1 { return try await subject.drain(count, by: Count.self) }
        let processes = try (0..<workers).map { _ in try WorkerProcess(["relay", schema]) }
        let start = ContinuousClock.now
        for process in processes { process.start() }
        var handled = [Int](repeating: 0, count: workers)
        while handled.reduce(0, +) < count {
            for (index, process) in processes.enumerated() {
                handled[index] = process.readLine().flatMap { Int($0) } ?? handled[index]
            }
        }
        let rate = Double(count) / (start.duration(to: .now) / .seconds(1))
        for process in processes { process.kill() }
        // The leases of the killed processes end before the next round.
        try await Task.sleep(for: .seconds(6))
        return rate
    }

    private func handlersThatWrite() async throws -> Row {
        let count = 20_000
        var configuration = Relay.Configuration()
        configuration.concurrency = 256
        configuration.laneLimit = 512
        var rates: [Double] = []
        for _ in 0..<max(1, rounds / 2) {
            try await subject.fill(count, of: Write.subscriptionName)
            rates.append(try await subject.drain(count, by: Write.self, configuration: configuration))
        }
        return Row("deliveries a second that write", rates: rates, floors: rates.map { _ in 5_000 }, atLeast: 1)
    }

    private func manyWaiting() async throws -> Row {
        try await subject.fill(waiting, of: Count.subscriptionName)
        let few = try await subject.drain(waiting, by: Count.self)
        try await subject.fill(many, of: Count.subscriptionName)
        let rate = try await subject.drain(many, by: Count.self)
        return Row("\(many) waiting, against \(waiting)", rates: [rate], floors: [few], atLeast: 0.6)
    }

    /// Times from the commit in one store to the handler behind another store.
    private func wake() async throws -> Row {
        let other = try await Subject(url: url, schema: schema)
        return try await times("milliseconds to another store, p99", to: other, atMost: 10) {
            try await subject.add(to: Count.subscriptionName)
        }
    }

    /// Times from the end of `add`, which adds a delivery, to its handler behind `subject`.
    private func times(
        _ name: String,
        to subject: Subject,
        atMost floor: Double,
        _ add: () async throws -> Void
    ) async throws -> Row {
        let tally = Tally()
        let relay = subject.relay(Count.self, tally: tally)
        let running = Task { try await relay.run() }
        var times: [Double] = []
        for number in 1...300 {
            try await Task.sleep(for: .milliseconds(15))
            try await add()
            let start = ContinuousClock.now
            await tally.wait(for: number)
            times.append(start.duration(to: .now) / .milliseconds(1))
        }
        relay.shutDown()
        try await running.value
        let p99 = times.sorted()[times.count * 99 / 100]
        say("  after the commit, median \(median(times)) ms, longest \(times.max() ?? 0) ms")
        return Row(name, rates: [p99], floors: [floor], atMost: 1)
    }

    // MARK: Transactions of other clients

    /// Rows of a program with an event each, against the same without, with 64 clients and a running relay.
    private func raise() async throws -> Row {
        let seconds = 3.0
        let event = #"SELECT "\#(schema)".raise('\#(Placed.eventName)', '{"number":1,"text":"t"}')"#
        let relay = subject.relay(Count.self, tally: Tally())
        let running = Task { try await relay.run() }
        let row = try await compare("rows with an event a second, 64 clients", target: 0.6) {
            try await rows(for: seconds, raising: nil)
        } _: {
            let rate = try await rows(for: seconds, raising: event)
            // The next rows are inserted while the relay has nothing to do.
            try await relay.untilIdle()
            return rate
        }
        relay.shutDown()
        try await running.value
        return row
    }

    /// Inserts rows of a program, outside of the threads of tasks.
    private func rows(for seconds: Double, raising event: String?) async throws -> Double {
        let rate = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { [url] in
                continuation.resume(returning: floor_rows(url, seconds, 64, event))
            }
        }
        if rate < 0 { throw FloorError() }
        return rate
    }

    /// Times from the commit of another client to the handler of its event.
    private func handled() async throws -> Row {
        let event = #"SELECT "\#(schema)".raise('\#(Placed.eventName)', '{"number":1,"text":"t"}')"#
        return try await times("milliseconds from raise to a handler, p99", to: subject, atMost: 20) {
            if floor_execute(url, event) != 0 { throw FloorError() }
        }
    }

    private func takeover() async throws -> Row {
        try await subject.add(to: Count.subscriptionName)
        let worker = try WorkerProcess(["hang", schema])
        worker.start()
        _ = worker.readLine()
        worker.kill()
        let start = ContinuousClock.now
        _ = try await subject.drain(1, by: Count.self, configuration: Self.quickLeases)
        let seconds = start.duration(to: .now) / .seconds(1)
        // The duration of the lease, and the longest interval between polls.
        return Row("seconds to take over a killed process", rates: [seconds], floors: [1.6], atMost: 1)
    }
}

/// A row of the table: medians, and the median of the ratios.
struct Row: CustomStringConvertible {
    let name: String
    let rate: Double
    let floor: Double
    let ratio: Double
    let least: Double
    let most: Double

    init(_ name: String, rates: [Double], floors: [Double], atLeast least: Double = 0, atMost most: Double = .infinity)
    {
        self.name = name
        self.least = least
        self.most = most
        rate = median(rates)
        floor = median(floors)
        ratio = median(zip(rates, floors).map { $0 / $1 })
    }

    var isMet: Bool { ratio >= least && ratio <= most }

    var description: String {
        let padded = name.padding(toLength: 36, withPad: " ", startingAt: 0)
        let bound = most.isFinite ? "≤ \(most)" : "≥ \(least)"
        return padded + String(format: "%10.2f %10.2f %7.2f  ", rate, floor, ratio) + bound + (isMet ? "" : "  MISSED")
    }
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
}
