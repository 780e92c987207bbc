// SPDX-License-Identifier: Apache-2.0

#if Simulations
import Foundation
import Headrace
import HeadraceSimulation
import HeadraceStorage
import LedgerApplication
import LedgerBooks
import LedgerJournal

/// A client of the simulated servers, which sends each command again until it has an answer.
struct LedgerClient: Sendable {
    private static let roundCount = 3
    private static let journalInSteps = "steps.journal"
    private static let accounts = ["assets:bank", "expenses:food", "expenses:rent", "income:salary"]

    let number: Int
    let ledger: LedgerWorld

    private var world: SimulatedWorld { ledger.world }

    /// Whether another client imports the journal that is imported in steps, with another content, in a fifth of the seeds.
    ///
    /// Then only the origins of the transactions show that they are the same.
    private var hasTwin: Bool { world.seed % 5 == 2 }

    /// Runs the client; the first clients also import journals and place standing orders.
    func run() async throws {
        switch number {
        case 1, 2: try await importJournal("whole.journal")
        case 3: try await importInSteps()
        case 4, 5: try await placeStandingOrder()
        case 6 where hasTwin: try await importJournal(Self.journalInSteps, ending: "; a comment\n")
        default: break
        }
        for round in 1...Self.roundCount {
            try await untilFullSecond()
            try await run(round)
        }
    }

    private func run(_ round: Int) async throws {
        let name = "client \(number), round \(round)"
        let other = Self.accounts[random(below: Self.accounts.count)]
        let isSpending = random(below: 3) > 0
        let draft = try LedgerWorld.draft(
            name,
            "\(1 + random(below: isSpending ? 40 : 60))",
            from: isSpending ? LedgerWorld.wallet : other,
            to: isSpending ? other : LedgerWorld.wallet
        )
        let id = try await post(draft)
        if let id, random(below: 4) == 0 { try await reverse(id, key: "\(name), reversal") }
        if random(below: 2) == 0 { try await readBalances() }
    }

    // MARK: Commands with a key

    /// Posts `draft`, and returns the identifier of the transaction; `nil` if the ledger refuses it.
    @discardableResult
    func post(_ draft: TransactionDraft) async throws -> UUID? {
        ledger.record.noteSent(draft)
        do {
            let id = try await send(key: draft.description) { try await $0.dispatch(PostTransaction(draft)) }
            ledger.record.noteAcknowledged(draft, id)
            return id
        } catch is AccountRefusal {
            return nil
        }
    }

    private func reverse(_ id: UUID, key: String) async throws {
        ledger.record.noteReversing(id)
        do {
            let reversal = try await send(key: key) { try await $0.dispatch(ReverseTransaction(id)) }
            ledger.record.noteReversed(id, by: reversal)
        } catch is AccountRefusal {}
    }

    // MARK: Other messages

    private func readBalances() async throws {
        let balances = try await send { try await $0.dispatch(GetBalances()) }
        var sums: [String: Quantity] = [:]
        for balance in balances { try sums.add(balance.amount) }
        world.expect(sums.amounts.isEmpty, "The balances that client \(number) has read have the sum \(sums.amounts).")
    }

    /// Imports a journal as one unit of work; another client imports the same journal, or one with another end.
    private func importJournal(_ name: String, ending: String = "") async throws {
        let bytes = journal(name) + Array(ending.utf8)
        let journal = try JournalParser().parse(bytes, file: name)
        for entry in journal.entries { ledger.record.noteImported(entry.transaction) }
        let command = ImportJournal(journal, named: name, content: Fingerprint(bytes: bytes))
        let outcome = try await send { try await $0.dispatch(command) }
        world.expect(outcome.posted + outcome.known == journal.entries.count, "The import has the outcome \(outcome).")
    }

    /// Imports a journal in steps, as the server does; each step can run on another server.
    private func importInSteps() async throws {
        let name = Self.journalInSteps
        let bytes = journal(name)
        let journal = try JournalParser().parse(bytes, file: name)
        for entry in journal.entries { ledger.record.noteImported(entry.transaction) }
        var origins = JournalOrigins(of: name)
        let entries = journal.entries.map {
            ImportStep.Entry($0.transaction, origin: origins.next($0), line: $0.line)
        }
        let begin = BeginImport(
            SystemValues.current.uuid(), of: name, content: Fingerprint(bytes: bytes), total: entries.count,
            origins: entries.map(\.origin))
        try await send { dispatcher in
            do {
                try await dispatcher.dispatch(begin)
            } catch {
                // An earlier request with this command has begun the import.
                if try await dispatcher.dispatch(GetImportStatus(of: begin.id)) == nil { throw error }
            }
        }
        while let status = try await send({ try await $0.dispatch(GetImportStatus(of: begin.id)) }) {
            if !status.isOpen {
                let posted = status.posted + (hasTwin ? status.known : 0)
                let isComplete = status.state == .finished && posted == entries.count
                return world.expect(isComplete, "The import in steps ends with \(status).")
            }
            let step = ImportStep(begin.id, from: status.done, Array(entries.dropFirst(status.done).prefix(2)))
            try await send { try await $0.dispatch(step) }
        }
        world.fail("The import that has begun isn't stored.")
    }

    /// Returns the bytes of a journal with five transactions.
    private func journal(_ name: String) -> [UInt8] {
        let entries = (1...5).map {
            "2029-12-0\($0) \(name), entry \($0)\n    assets:bank   \($0) EUR\n    income:salary\n"
        }
        return Array(entries.joined(separator: "\n").utf8)
    }

    private func placeStandingOrder() async throws {
        let order = PlaceStandingOrder(
            try LedgerWorld.draft("standing order \(number)", "1", of: "USD", from: "assets:bank", to: "expenses:rent"),
            count: 3,
            every: .seconds(7),
            id: SystemValues.current.uuid()
        )
        ledger.record.notePlaced(order)
        try await send { try await $0.dispatch(order) }
    }

    // MARK: Requests

    /// Sends a message to any of the servers, again and again until it is answered.
    ///
    /// - Throws: The errors of the ledger that a retry doesn't change.
    func send<Answer: Sendable>(
        key: String? = nil, _ body: @escaping @Sendable (any CommandQueryDispatcher) async throws -> Answer
    ) async throws -> Answer {
        try await request { container in
            let dispatcher: any CommandQueryDispatcher = container.resolve()
            return try await IdempotencyMiddleware.withKey(key) { try await body(dispatcher) }
        }
    }

    /// Sends a request to any of the servers, again and again until it is answered.
    ///
    /// - Throws: The errors of `body` that a retry doesn't change.
    func request<Answer: Sendable>(_ body: @escaping @Sendable (Container) async throws -> Answer) async throws
        -> Answer
    {
        while true {
            do {
                return try await world.any(of: ledger.servers).request(body)
            } catch {
                if !Self.canBeSentAgain(error) { throw error }
                try await pause(milliseconds: 1_000)
            }
        }
    }

    private static func canBeSentAgain(_ error: any Error) -> Bool {
        if let error = error as? SimulationError { return error.isRetryable || error.code == .timedOut }
        if let error = error as? StoreError { return error.isRetryable || error.code == .outcomeUnknown }
        return (error as? any RetryableError)?.isRetryable ?? false
    }

    /// Waits until one of the next seconds is full: many clients begin at the same time, and change the same accounts.
    private func untilFullSecond() async throws {
        let milliseconds = Int(SystemValues.current.date().timeIntervalSince1970 * 1_000)
        let duration = Duration.milliseconds(1_000 * (1 + random(below: 4)) - milliseconds % 1_000)
        try await world.clock.sleep(until: world.clock.now.advanced(by: duration))
    }

    private func pause(milliseconds: Int) async throws {
        let duration = Duration.milliseconds(random(below: milliseconds))
        try await world.clock.sleep(until: world.clock.now.advanced(by: duration))
    }

    private func random(below limit: Int) -> Int {
        var numbers = world.randomNumbers
        return Int.random(in: 0..<limit, using: &numbers)
    }
}
#endif
