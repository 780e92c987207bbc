// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Headrace
public import LedgerBooks

/// An import in one step or in several.
///
/// Each step is a unit of work, and the job can be paused and resumed between them. An atomic import has one step.
///
/// Each change raises ``ImportChanged``.
public final class ImportJob: StoredEntity {
    /// The name of the entity type in the store.
    public static let entityName = "import"

    /// The indexes of the entity type.
    public static var indexes: [EntityIndex<ImportJob>] { [.isOpen] }

    /// The state of a job.
    public enum State: String, Sendable, Hashable, Codable {
        case queued, running, paused, finished, failed
    }

    /// The reason why a job has failed.
    public struct Failure: Sendable, Hashable, Codable, Error {
        /// The code of the error.
        public let code: String

        /// The cause and the remedy.
        public let message: String

        /// The line of the journal, counting from 1; `nil` if the failure concerns no line.
        public let line: Int?

        /// Creates a failure.
        public init(code: String, message: String, line: Int? = nil) {
            self.code = code
            self.message = message
            self.line = line
        }
    }

    /// The events that no unit of work has taken yet.
    public var raisedEvents = RaisedEvents()

    /// The identifier.
    ///
    /// Identifiers sort by the time of their creation.
    public let id: UUID

    /// The name of the journal.
    public let name: String

    /// The fingerprint of the journal's content.
    public let content: Fingerprint

    /// The journal that the import belongs to, if it isn't `name`: the journal whose copy this is; see ``KnownJournal``.
    private let original: String?

    /// The handling of transactions that are no longer in the journal; `nil` if an earlier version has started the job.
    let missing: MissingTransactions?

    /// Number of transactions in the journal.
    public let total: Int

    /// The types of accounts that the journal declares; `nil` if an earlier version has started the job.
    let accountTypes: [String: AccountType]?

    /// Whether the import posts all transactions in one unit of work; `nil` if an earlier version has started it in steps.
    private let atomic: Bool?

    /// The state.
    public private(set) var state = State.queued

    /// Number of processed transactions.
    public private(set) var done = 0

    /// Number of posted transactions.
    public private(set) var posted = 0

    /// Number of transactions that were posted before.
    public private(set) var known = 0

    /// The reason of the failure; `nil` unless the job has failed.
    public private(set) var failure: Failure?

    /// Creates a job that has processed nothing.
    public init(
        id: UUID,
        name: String,
        content: Fingerprint,
        total: Int,
        isAtomic: Bool = false,
        accountTypes: [String: AccountType] = [:],
        journal: String? = nil,
        missing: MissingTransactions = .refuse
    ) {
        self.id = id
        self.name = name
        original = journal == name ? nil : journal
        self.missing = missing
        self.content = content
        self.total = total
        atomic = isAtomic
        self.accountTypes = accountTypes
        raiseEvent(ImportChanged(id: id))
    }

    /// The journal that the import belongs to; see ``KnownJournal``.
    var journal: String { original ?? name }

    /// Whether the job hasn't ended.
    public var isOpen: Bool { state == .queued || state == .running || state == .paused }

    /// Records the numbers of a step.
    func advance(posted: Int, known: Int) {
        self.posted += posted
        self.known += known
        done += posted + known
        change(to: state == .queued ? .running : state)
    }

    /// Ends the job after its last step.
    func finish() {
        change(to: .finished)
    }

    /// Ends the job with a failure.
    ///
    /// A job that has ended doesn't change.
    func fail(_ failure: Failure) {
        if !isOpen { return }
        self.failure = failure
        change(to: .failed)
    }

    /// Pauses the job.
    ///
    /// A job that has ended doesn't change.
    func pause() {
        if isOpen { change(to: .paused) }
    }

    /// Resumes the job if it is paused.
    func resume() {
        if state == .paused { change(to: done == 0 ? .queued : .running) }
    }

    private func change(to state: State) {
        self.state = state
        raiseEvent(ImportChanged(id: id))
    }

    /// The state and the progress as a value.
    var status: ImportStatus {
        ImportStatus(
            id: id,
            name: name,
            journal: journal,
            state: state,
            done: done,
            total: total,
            isAtomic: atomic == true,
            posted: posted,
            known: known,
            failure: failure
        )
    }
}

extension EntityIndex<ImportJob> {
    /// Whether the job hasn't ended.
    public static var isOpen: Self { EntityIndex("is-open") { $0.isOpen ? 1 : 0 } }
}
