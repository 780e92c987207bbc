// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import Headrace
import HeadraceFlux
import LedgerApplication
import LedgerJournal

/// The local run of an import.
///
/// Each action runs a few steps, and a deactivated run waits. An atomic import has one step.
actor ImportRun: Dispatcher {
    /// Number of transactions in a step, unless the import is atomic.
    private static let stepSize = 512

    /// Number of steps in an action.
    ///
    /// While a step waits for the disk, the next step reads its pending changes.
    private static let concurrentSteps = 4

    nonisolated let pipeline: Pipeline
    nonisolated let id: UUID
    private let container: Container
    private let name: String
    private let journalName: String
    private let bytes: [UInt8]
    private let stepSize: Int
    private var journal: JournalEntries
    private var origins: JournalOrigins

    /// The origins of all transactions, read with the first balance assignment; `nil` before.
    private var allOrigins: Set<Fingerprint>?

    /// Number of transactions that were read from the journal.
    private var readCount = 0

    /// Transactions that were read and may not be processed yet.
    private var pending: [ImportStep.Entry] = []

    /// Whether the import has ended.
    private(set) var isOver = false

    init(_ status: ImportStatus, of bytes: [UInt8], container: Container, observers: [any MessageObserver]) {
        pipeline = Pipeline(observers: observers)
        id = status.id
        self.container = container
        name = status.name
        journalName = status.journal
        self.bytes = bytes
        stepSize = status.isAtomic ? max(1, status.total) : Self.stepSize
        journal = JournalParser().entries(of: bytes, file: status.name)
        origins = JournalOrigins(of: status.journal)
        if status.state == .paused { pipeline.pause(self) }
    }

    /// Runs the next steps.
    struct Advance: Action {
        func execute(with run: isolated ImportRun) async throws {
            try await run.advance()
        }
    }

    /// Runs up to ``concurrentSteps`` steps.
    ///
    /// The stored job says afterwards which transactions are processed. If a step has failed, the steps after it have
    /// done nothing, and the next action repeats their transactions.
    private func advance() async throws {
        let dispatcher: any CommandQueryDispatcher = container.resolve()
        guard let before = try await status(by: dispatcher), before.isOpen else {
            isOver = true
            return
        }
        if before.state == .paused {
            // The import was paused after this run was activated. A resume is stored before it activates the run.
            deactivate()
            if try await status(by: dispatcher)?.state != .paused { activate() }
            return
        }
        try await pass(over: before.done)
        let failure = await withTaskGroup { group in
            var failure: (any Error)?
            for number in 0..<Self.concurrentSteps {
                let start = number * stepSize
                do {
                    try read(until: start + stepSize)
                } catch {
                    failure = error
                }
                let entries = pending.dropFirst(start).prefix(stepSize)
                if entries.isEmpty || failure != nil { break }
                let step = ImportStep(id, from: before.done + start, Array(entries), origins: allOrigins ?? [])
                group.addTask { await Self.failure(of: step, sentTo: dispatcher) }
            }
            // The other steps are not cancelled: transactions before the failure must be posted.
            for await outcome in group { failure = failure ?? outcome }
            return failure
        }
        if let failure { throw failure }
        guard let after = try await status(by: dispatcher) else { return }
        isOver = !after.isOpen
    }

    private static func failure(
        of step: ImportStep,
        sentTo dispatcher: any CommandQueryDispatcher
    ) async -> (any Error)? {
        do {
            try await dispatcher.dispatch(step)
            return nil
        } catch {
            return error
        }
    }

    private func status(by dispatcher: any CommandQueryDispatcher) async throws -> ImportStatus? {
        try await dispatcher.dispatch(GetImportStatus(of: id))
    }

    /// Skips the first `count` transactions of the journal, which are processed.
    private func pass(over count: Int) async throws {
        pending.removeFirst(min(pending.count, max(0, count - (readCount - pending.count))))
        while readCount < count, let entry = try journal.next() {
            _ = origins.next(entry)
            readCount += 1
            if readCount.isMultiple(of: Self.stepSize) { await Task.yield() }
        }
    }

    /// Reads until `count` transactions are pending, or the journal has ended.
    private func read(until count: Int) throws {
        while pending.count < count, let entry = try journal.next() {
            readCount += 1
            let origin = origins.next(entry)
            if origin.assignment != nil, allOrigins == nil {
                allOrigins = try Self.origins(of: bytes, named: name, in: journalName)
            }
            pending.append(ImportStep.Entry(entry.transaction, origin: origin, line: entry.line))
        }
    }

    /// Returns the origins of all transactions of a journal with a balance assignment.
    private static func origins(
        of bytes: [UInt8], named name: String, in journal: String
    ) throws -> Set<Fingerprint> {
        var origins = JournalOrigins(of: journal)
        return try JournalParser().parse(bytes, file: name).entries.map { origins.next($0) }.ofAssigningJournal
    }
}

extension Pipeline {
    /// Deactivates `dispatcher`, the owner of this pipeline, so that its actions wait.
    fileprivate func pause(_ dispatcher: some Dispatcher) {
        dispatcher.deactivate()
    }
}
#endif
