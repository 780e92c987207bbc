//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Headrace
import LedgerApplication
import LedgerJournal

/// An import that is under way: its steps are actions, one after the other, and it stops when it is deactivated.
actor ImportRun: Dispatcher {
    /// How many transactions a step has.
    private static let stepSize = 256

    nonisolated let pipeline: Pipeline
    nonisolated let id: UUID
    private let container: Container
    private var journal: JournalEntries
    private var origins: JournalOrigins

    /// How many transactions of the journal were read.
    private var readCount = 0

    /// Those that were read and not yet dealt with.
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

    /// Takes the next step.
    struct Step: Action {
        func execute(with run: isolated ImportRun) async throws {
            try await run.takeStep()
        }
    }

    private func takeStep() async throws {
        let dispatcher: any CommandQueryDispatcher = container.resolve()
        guard let before = try await dispatcher.dispatch(GetImportStatus(of: id)), before.isOpen else {
            isOver = true
            return
        }
        try await read(from: before.done)
        try await dispatcher.dispatch(ImportStep(id, from: before.done, pending))
        guard let after = try await dispatcher.dispatch(GetImportStatus(of: id)) else { return }
        if after.done > before.done { pending = [] }
        isOver = !after.isOpen
    }

    /// Reads the entries of the next step; what was posted before a restart is passed over.
    private func read(from start: Int) async throws {
        while readCount < start {
            guard let entry = try journal.next() else { return }
            _ = origins.next(entry.transaction)
            readCount += 1
            if readCount.isMultiple(of: Self.stepSize) { await Task.yield() }
        }
        while pending.count < Self.stepSize, let entry = try journal.next() {
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
