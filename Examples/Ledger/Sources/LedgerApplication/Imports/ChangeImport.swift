//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import Headrace

/// Asks for an import in steps to be stopped, to be gone on with, or to be given up.
public struct ChangeImport: CQDCommand, Encodable, TakesTurns {
    /// What is to become of the import.
    public enum Change: Sendable, Encodable {
        /// It stops until it is resumed.
        case pause

        /// It goes on.
        case resume

        /// It is given up.
        case fail(ImportJob.Failure)
    }

    /// The import.
    public let id: UUID

    /// What is to become of it.
    public let change: Change

    /// The import.
    public var turns: Set<String> { [ImportJob.turn(of: id)] }

    /// Creates the command.
    public init(_ change: Change, of id: UUID) {
        self.id = id
        self.change = change
    }
}

/// Changes the import; throws ``UnknownImport`` where there is none, and leaves one alone that has ended.
public final class ChangeImportHandler: HandlesCommand, Resolvable {
    private let unitOfWork: UnitOfWork<EntityContext>

    /// The types that a handler resolves.
    public static let dependencies = Dependencies().on(UnitOfWork<EntityContext>.self)

    /// Takes what the handler needs from `scope`.
    public init(scope: any DependencyResolutionScope) {
        unitOfWork = scope.resolve()
    }

    /// Changes the import; see the command.
    public func handle(_ command: ChangeImport) async throws {
        try await unitOfWork.execute { context in
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
            }
        }
    }
}
