//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import Headrace

/// An import that is done in steps, each a unit of work, and that can be stopped and gone on with in between.
///
/// It raises ``ImportChanged`` whenever it has come further.
public final class ImportJob: StoredEntity {
    /// The name under which the entities are stored.
    public static let entityName = "import"

    /// What the entities are fetched by.
    public static var indexes: [EntityIndex<ImportJob>] { [.isOpen] }

    /// How far an import has come.
    public enum State: String, Sendable, Hashable, Codable {
        case queued, running, paused, finished, failed
    }

    /// Why an import has failed.
    public struct Failure: Sendable, Hashable, Codable, Error {
        /// The code of the error.
        public let code: String

        /// What happened and how to fix it.
        public let message: String

        /// The line of the journal, counting from 1, if it is of one.
        public let line: Int?

        /// Creates a failure.
        public init(code: String, message: String, line: Int? = nil) {
            self.code = code
            self.message = message
            self.line = line
        }
    }

    /// What has happened to the entity and was not handled yet.
    public var raisedEvents = RaisedEvents()

    /// Tells the import from all others; later ones sort after earlier ones.
    public let id: UUID

    /// The name of the journal.
    public let name: String

    /// Stands for what is in the journal.
    public let content: Fingerprint

    /// How many transactions the journal has.
    public let total: Int

    /// How far it has come.
    public private(set) var state = State.queued

    /// How many transactions were looked at.
    public private(set) var done = 0

    /// How many of them were posted.
    public private(set) var posted = 0

    /// How many of them were in the books already.
    public private(set) var known = 0

    /// Why it has failed, if it has.
    public private(set) var failure: Failure?

    /// Begins an import of which nothing is done yet.
    public init(id: UUID, name: String, content: Fingerprint, total: Int) {
        self.id = id
        self.name = name
        self.content = content
        self.total = total
        raiseEvent(ImportChanged(id: id))
    }

    /// Whether something is left to be done.
    public var isOpen: Bool { state == .queued || state == .running || state == .paused }

    /// Records a step.
    func advance(posted: Int, known: Int) {
        self.posted += posted
        self.known += known
        done += posted + known
        change(to: state == .queued ? .running : state)
    }

    /// Ends the import, all of it being done.
    func finish() {
        change(to: .finished)
    }

    /// Ends the import before all of it is done; one that has ended stays so.
    func fail(_ failure: Failure) {
        if !isOpen { return }
        self.failure = failure
        change(to: .failed)
    }

    /// Stops the import until it is resumed; one that has ended stays so.
    func pause() {
        if isOpen { change(to: .paused) }
    }

    /// Goes on with an import that was paused.
    func resume() {
        if state == .paused { change(to: done == 0 ? .queued : .running) }
    }

    private func change(to state: State) {
        self.state = state
        raiseEvent(ImportChanged(id: id))
    }

    /// How it stands.
    var status: ImportStatus {
        ImportStatus(
            id: id,
            name: name,
            state: state,
            done: done,
            total: total,
            posted: posted,
            known: known,
            failure: failure
        )
    }
}

extension EntityIndex<ImportJob> {
    /// Whether something is left to be done.
    public static var isOpen: Self { EntityIndex("is-open") { $0.isOpen ? 1 : 0 } }
}
