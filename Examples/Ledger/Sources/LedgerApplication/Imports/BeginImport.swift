//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import Headrace

/// Asks for an import in steps to be begun.
public struct BeginImport: CQDCommand, Encodable, TakesTurns {
    /// The identifier that it is to have.
    public let id: UUID

    /// The name of the journal.
    public let name: String

    /// Stands for what is in the journal.
    public let content: Fingerprint

    /// How many transactions the journal has.
    public let total: Int

    /// The journal, by its name and its content.
    public var turns: Set<String> { ["journal/\(name)", "content/\(content.rawValue)"] }

    /// Creates the command.
    public init(_ id: UUID, of name: String, content: Fingerprint, total: Int) {
        self.id = id
        self.name = name
        self.content = content
        self.total = total
    }
}

/// Begins the import, and reserves the content for it.
///
/// If the same content was imported before under another name, the import is finished at once, with nothing posted. If
/// it is being imported under another name, the handler throws ``ContentReserved``.
public final class BeginImportHandler: HandlesCommand, Resolvable {
    private let unitOfWork: UnitOfWork<EntityContext>

    /// The types that a handler resolves.
    public static let dependencies = Dependencies().on(UnitOfWork<EntityContext>.self)

    /// Takes what the handler needs from `scope`.
    public init(scope: any DependencyResolutionScope) {
        unitOfWork = scope.resolve()
    }

    /// Begins the import; see the command.
    public func handle(_ command: BeginImport) async throws {
        try await unitOfWork.execute { context in
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
}
