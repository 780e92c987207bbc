// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import HTTPTypes
import Headrace
import HeadraceFlux
import HeadraceHummingbird
import LedgerApplication
import LedgerBooks
import LedgerJournal
import Logging
import ServiceLifecycle
import Synchronization

/// Accepts journals and imports them, in one unit of work or in steps.
///
/// After a restart, it continues the open imports.
final class ImportService: ServiceLifecycle.Service {
    private let container: Container
    private let spool: any JournalSpool
    private let limits: LedgerServerLimits
    private let observers: [any MessageObserver]
    private let clock: any TimeSource
    private let logger: Logger
    private let runs = Mutex<[UUID: ImportRun]>([:])
    private let arrivals: AsyncStream<ImportRun>
    private let arrival: AsyncStream<ImportRun>.Continuation

    init(
        container: Container,
        spool: any JournalSpool,
        limits: LedgerServerLimits,
        observers: [any MessageObserver],
        clock: any TimeSource,
        logger: Logger
    ) {
        self.container = container
        self.spool = spool
        self.limits = limits
        self.observers = observers
        self.clock = clock
        self.logger = logger
        (arrivals, arrival) = AsyncStream.makeStream()
    }

    private var dispatcher: any CommandQueryDispatcher { container.resolve() }

    /// Starts the import of the journal in `bytes`, if the parser accepts all of it.
    ///
    /// `isAtomic` tells whether the import posts all transactions in one unit of work, or in steps. With `nil`, only a
    /// large journal is imported in steps; see ``LedgerServerLimits/atomicTransactions``.
    ///
    /// - Throws: `JournalError`; `ImportRefusal` if a transaction was posted with other amounts that followed from
    ///   balances; `Problem` if too many imports are open, if an import of the same content under another name hasn't
    ///   finished, if `missing` is `refuse` and transactions of the last import aren't in the journal, or if the disk is
    ///   full.
    func begin(
        _ name: String, bytes: [UInt8], isAtomic: Bool? = nil, missing: MissingTransactions = .refuse
    ) async throws -> UUID {
        if runs.withLock(\.count) >= limits.openImports {
            throw Problem(
                .serviceUnavailable,
                code: "tooManyImports",
                "\(limits.openImports) imports run or are paused, which is the maximum. To fix, wait until an import has ended."
            )
            .retry(after: .seconds(5))
        }
        let journal = try await dispatcher.dispatch(GetJournalName(of: name))
        let survey = try await Self.survey(bytes, named: name, in: journal)
        if isAtomic == true, survey.count > limits.mostAtomicTransactions {
            throw Problem(
                .unprocessableContent,
                code: "tooLargeForAtomic",
                "The journal has \(survey.count) transactions. At most \(limits.mostAtomicTransactions) can be posted together. "
                    + "To fix, divide the journal, or import it in steps with 'atomic=false'."
            )
        }
        let id = UUID.version7()
        let lock = try await spool.keep(bytes, for: id)
        defer { withExtendedLifetime(lock) {} }
        do {
            try await dispatcher.dispatch(
                BeginImport(
                    id,
                    of: name,
                    content: Fingerprint(bytes: bytes),
                    total: survey.count,
                    isAtomic: isAtomic ?? (survey.count <= limits.atomicTransactions),
                    accountTypes: survey.accountTypes,
                    assigned: survey.assigned,
                    origins: survey.origins,
                    journal: journal,
                    missing: missing
                )
            )
        } catch let error as ChangedJournal {
            await spool.discard(id)
            throw Problem(
                .conflict,
                code: error.code,
                error.message(replacing: "'missing=replace'", keeping: "'missing=keep'")
            )
        } catch {
            await spool.discard(id)
            throw error
        }
        guard let status = try await dispatcher.dispatch(GetImportStatus(of: id)), status.isOpen else {
            await spool.discard(id)
            return id
        }
        start(status, bytes: bytes)
        return id
    }

    /// Pauses the import after its current steps.
    ///
    /// An import that has ended doesn't change.
    ///
    /// - Throws: `UnknownImport`.
    func pause(_ id: UUID) async throws {
        runs.withLock { $0[id] }?.deactivate()
        try await dispatcher.dispatch(ChangeImport(.pause, of: id))
    }

    /// Resumes the import, even if another server has started or paused it.
    ///
    /// - Throws: `UnknownImport`.
    func resume(_ id: UUID) async throws {
        try await dispatcher.dispatch(ChangeImport(.resume, of: id))
        if let run = runs.withLock({ $0[id] }) { return run.activate() }
        // The server that has started the import may have ended since.
        guard let status = try await dispatcher.dispatch(GetImportStatus(of: id)), status.isOpen else { return }
        try await takeUp(status)
    }

    /// Resumes the local runs of the imports `ids`, so that they read the state again.
    ///
    /// Another server may have resumed or finished an import that was paused here.
    func notice(_ ids: Set<UUID>) {
        for run in runs.withLock({ runs in ids.compactMap { runs[$0] } }) { run.activate() }
    }

    /// Imports until the server shuts down.
    ///
    /// The next start continues the open imports.
    func run() async throws {
        try await spool.discardLeftovers {
            Set(try await dispatcher.dispatch(GetImports(onlyOpen: true)).map(\.id))
        }
        let open = try await dispatcher.dispatch(GetImports(onlyOpen: true))
        for status in open { try await takeUp(status) }
        await withDiscardingTaskGroup { group in
            for await run in arrivals.cancelOnGracefulShutdown() {
                group.addTask { await self.drive(run) }
            }
            group.cancelAll()
        }
    }

    /// Starts a local run of an open import from its spooled journal.
    private func takeUp(_ status: ImportStatus) async throws {
        do {
            start(status, bytes: try await spool.bytes(of: status.id))
        } catch let error as StoreError {
            // The journal is still stored, so a later start or resume can continue the import.
            throw error
        } catch {
            try await fail(status.id, error)
        }
    }

    private func start(_ status: ImportStatus, bytes: [UInt8]) {
        let run = ImportRun(status, of: bytes, container: container, observers: observers)
        let known: ImportRun? = runs.withLock { runs in
            if let known = runs[status.id] { return known }
            runs[status.id] = run
            return nil
        }
        // The known run may be paused by an earlier status, while this one is of a resumed import. It reads the status again.
        if let known { known.activate() } else { arrival.yield(run) }
    }

    /// Runs the steps of `run`.
    ///
    /// While it is paused, the next step waits.
    private func drive(_ run: ImportRun) async {
        do {
            while await !run.isOver {
                do {
                    try await run.dispatch(ImportRun.Advance())
                } catch let error as StoreError where error.isRetryable || error.code == .outcomeUnknown {
                    // A step that is stored already does nothing when it is repeated.
                    logger.warning("Steps of an import have failed and are retried.", metadata: ["error": "\(error)"])
                    try await clock.sleep(until: clock.now.advanced(by: .seconds(1)), tolerance: nil)
                }
            }
        } catch is CancellationError {
            return
        } catch {
            do {
                try await fail(run.id, error)
            } catch {
                // The failure couldn't be stored, perhaps because the disk is full. A resume or a restart continues the
                // import.
                runs.withLock { $0[run.id] = nil }
                return
            }
        }
        runs.withLock { $0[run.id] = nil }
        await spool.discard(run.id)
    }

    private func fail(_ id: UUID, _ error: any Error) async throws {
        let status = try await dispatcher.dispatch(GetImportStatus(of: id))
        let failure = Self.failure(error, of: status)
        logger.info("An import has failed.", metadata: ["import": "\(id)", "error": "\(failure.message)"])
        try await dispatcher.dispatch(ChangeImport(.fail(failure), of: id))
    }

    /// Returns the reason of a failed import, with its consequences.
    private static func failure(_ error: any Error, of status: ImportStatus?) -> ImportJob.Failure {
        let problem = ProblemTable.ledger.problem(for: error)
        let reason =
            error as? ImportJob.Failure
            ?? ImportJob.Failure(
                code: problem?.code ?? "internal",
                message: problem?.message ?? "The server has failed. To fix, look for the error in its log.",
                line: problem?.failures.first?.line
            )
        let state =
            if let status, status.done > 0 {
                "The first \(status.done) of \(status.total) transactions are posted. "
                    + "To fix, correct the journal and import it again. Posted transactions are skipped."
            } else {
                "Nothing of the journal is posted. To fix, correct the journal and import it again."
            }
        return ImportJob.Failure(code: reason.code, message: "\(reason.message) \(state)", line: reason.line)
    }

    /// The facts about a journal that an import needs before it starts.
    private struct Survey {
        /// Number of transactions.
        let count: Int

        /// The types of accounts that it declares.
        let accountTypes: [String: AccountType]

        /// The transactions with balance assignments.
        var assigned: [ImportStep.Entry] = []

        /// The origins of all transactions, in the order of the journal.
        let origins: [JournalOrigin]
    }

    /// Parses a journal.
    @concurrent
    private static func survey(_ bytes: [UInt8], named name: String, in journal: String) async throws -> Survey {
        let parser = JournalParser()
        var entries = parser.entries(of: bytes, file: name)
        var numbers = JournalOrigins(of: journal)
        var all: [JournalOrigin] = []
        while let entry = try entries.next() {
            all.append(numbers.next(entry))
            if all.count.isMultiple(of: 256) { await Task.yield() }
        }
        // Balance assertions are checked in the order of the dates, so they need the whole journal.
        guard entries.claimsBalances else {
            return Survey(count: all.count, accountTypes: entries.accountTypes, origins: all)
        }
        var origins = JournalOrigins(of: journal)
        let parsed = try parser.parse(bytes, file: name)
        let steps = parsed.entries.map {
            ImportStep.Entry($0.transaction, origin: origins.next($0), line: $0.line)
        }
        return Survey(
            count: steps.count,
            accountTypes: parsed.accountTypes,
            assigned: steps.filter { $0.origin.assignment != nil },
            origins: steps.map(\.origin)
        )
    }
}
#endif
