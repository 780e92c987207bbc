//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Headrace
import LedgerApplication
import LedgerJournal

/// An import that is under way: actions take its steps, some at a time, and it stops when it is deactivated.
actor ImportRun: Dispatcher {
    /// How many transactions a step has.
    private static let stepSize = 512

    /// How many steps an action takes: while one waits for the disk, the next one works upon what that will store.
    private static let stepsUnderWay = 4

    nonisolated let pipeline: Pipeline
    nonisolated let id: UUID
    private let container: Container
    private var journal: JournalEntries
    private var origins: JournalOrigins

    /// How many transactions of the journal were read.
    private var readCount = 0

    /// Those that were read last and are not known to be dealt with.
    private var pending: [ImportStep.Entry] = []

    /// Whether there is nothing left to do.
    private(set) var isOver = false

    init(_ status: ImportStatus, of bytes: [UInt8], container: Container, observers: [any MessageObserver]) {
        pipeline = Pipeline(observers: observers)
        id = status.id
        self.container = container
        journal = JournalParser().entries(of: bytes, file: status.name)
        origins = JournalOrigins(of: status.name)
        if status.state == .paused { pipeline.pause(self) }
    }

    /// Takes the next steps.
    struct Advance: Action {
        func execute(with run: isolated ImportRun) async throws {
            try await run.advance()
        }
    }

    /// Takes up to ``stepsUnderWay`` steps.
    ///
    /// What is dealt with is what the import says of itself afterwards: where a step has failed, the ones that were begun
    /// upon it have done nothing, and their transactions are taken up again from where it stands.
    private func advance() async throws {
        let dispatcher: any CommandQueryDispatcher = container.resolve()
        guard let before = try await status(by: dispatcher), before.isOpen else {
            isOver = true
            return
        }
        if before.state == .paused {
            // It was paused after this was activated; whoever resumes it stores that first.
            deactivate()
            if try await status(by: dispatcher)?.state != .paused { activate() }
            return
        }
        try await pass(over: before.done)
        let failure = await withTaskGroup { group in
            var failure: (any Error)?
            for number in 0..<Self.stepsUnderWay {
                let start = number * Self.stepSize
                do {
                    try read(until: start + Self.stepSize)
                } catch {
                    failure = error
                }
                let entries = pending.dropFirst(start).prefix(Self.stepSize)
                if entries.isEmpty || failure != nil { break }
                let step = ImportStep(id, from: before.done + start, Array(entries))
                group.addTask { await Self.failure(of: step, sentTo: dispatcher) }
            }
            // The others are not cancelled: what comes before a failure is to be posted.
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

    /// Passes over the first `count` transactions of the journal, which are dealt with.
    private func pass(over count: Int) async throws {
        pending.removeFirst(min(pending.count, max(0, count - (readCount - pending.count))))
        while readCount < count, let entry = try journal.next() {
            _ = origins.next(entry.transaction)
            readCount += 1
            if readCount.isMultiple(of: Self.stepSize) { await Task.yield() }
        }
    }

    /// Reads until `count` entries are pending, or the journal has ended.
    private func read(until count: Int) throws {
        while pending.count < count, let entry = try journal.next() {
            readCount += 1
            pending.append(
                ImportStep.Entry(entry.transaction, origin: origins.next(entry.transaction), line: entry.line)
            )
        }
    }
}

extension Pipeline {
    /// Lets the actions of `dispatcher`, whose pipeline this is, wait.
    fileprivate func pause(_ dispatcher: some Dispatcher) {
        dispatcher.deactivate()
    }
}
