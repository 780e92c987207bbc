// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Headrace

/// A command that pauses, resumes, or fails an import job.
public struct ChangeImport: CQDCommand, Encodable, SerializedCommand {
    /// The change of the job's state.
    public enum Change: Sendable, Encodable {
        /// The job stops until it is resumed.
        case pause

        /// The job continues.
        case resume

        /// The job ends with a failure.
        case fail(ImportJob.Failure)
    }

    /// The identifier of the job.
    public let id: UUID

    /// The change.
    public let change: Change

    /// The key of the job.
    public var lockKeys: Set<String> { [ImportJob.lockKey(of: id)] }

    /// Creates the command.
    public init(_ change: Change, of id: UUID) {
        self.id = id
        self.change = change
    }
}

/// Changes the state of the job, unless it has ended.
///
/// Throws ``UnknownImport``.
public final class ChangeImportHandler: HandlesCommand, Resolvable {
    private let context: EntityContext

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Handles the command.
    public func handle(_ command: ChangeImport) async throws {
        guard let job = try await context.find(ImportJob.self, id: command.id) else {
            throw UnknownImport(id: command.id)
        }
        switch command.change {
        case .pause: job.pause()
        case .resume: job.resume()
        case .fail(let failure):
            if !job.isOpen { return }
            job.fail(failure)
            try await JournalContent.fail(job, in: context)
            if job.posted == 0 { try await KnownJournal.discard(job, in: context) }
        }
    }
}
