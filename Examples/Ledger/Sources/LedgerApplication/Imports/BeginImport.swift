//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import Headrace

/// A command that starts an import job.
public struct BeginImport: CQDCommand, Encodable, SerializedCommand {
    /// The identifier of the new job.
    public let id: UUID

    /// The name of the journal.
    public let name: String

    /// The fingerprint of the journal's content.
    public let content: Fingerprint

    /// Number of transactions in the journal.
    public let total: Int

    /// The keys of the journal's name and of its content.
    public var lockKeys: Set<String> { ["journal/\(name)", "content/\(content.rawValue)"] }

    /// Creates the command.
    public init(_ id: UUID, of name: String, content: Fingerprint, total: Int) {
        self.id = id
        self.name = name
        self.content = content
        self.total = total
    }
}

/// Starts the job and reserves the content for it.
///
/// If the same content was imported under another name, the job finishes at once and posts nothing. If an import under
/// another name hasn't finished, the handler throws ``ContentReserved``.
public final class BeginImportHandler: HandlesCommand, Resolvable {
    private let context: EntityContext

    /// The types that the handler resolves.
    public static let dependencies = Dependencies().on(EntityContext.self)

    /// Resolves the dependencies from `scope`.
    public init(scope: any DependencyResolutionScope) {
        context = scope.resolve()
    }

    /// Handles the command.
    public func handle(_ command: BeginImport) async throws {
        let job = ImportJob(
            id: command.id,
            name: command.name,
            content: command.content,
            total: command.total
        )
        var twin: String?
        switch try await JournalContent.claim(command.content, for: command.name, in: context) {
        case .reserved(let content):
            content.begin(job)
            context.insert(job)
            if command.total > 0 { return }
            content.finish(job)
        case .imported(let other):
            context.insert(job)
            twin = other
        }
        job.advance(posted: 0, known: command.total)
        job.finish()
        try await ImportedJournal.record(job, sameAs: twin, in: context)
    }
}
