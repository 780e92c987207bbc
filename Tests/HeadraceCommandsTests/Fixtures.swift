//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCommands
import HeadraceResolution
import Synchronization

/// What happened, in order, from any thread.
final class Journal: Sendable {
    private let recorded = Mutex<[String]>([])

    var entries: [String] { recorded.withLock(\.self) }

    func record(_ entry: String) {
        recorded.withLock { $0.append(entry) }
    }
}

/// Which of several scopes an object was made in.
final class Tenant: Sendable {}

/// A command that is recorded.
struct Note: CQDCommand {
    var text: String
}

/// Records a note together with the tenant of the scope that it was made in.
final class NoteHandler: HandlesCommand, Resolvable {
    private let journal: Journal
    private let tenants: Tenants

    init(scope: any DependencyResolutionScope) {
        journal = scope.resolve()
        tenants = scope.resolve()
        tenants.saw(scope.resolve())
    }

    func handle(_ command: Note) async throws {
        journal.record("note \(command.text)")
    }
}

/// A query that is answered with what was recorded so far.
struct ReadNotes: CQDQuery {
    typealias Value = [String]
}

final class ReadNotesHandler: HandlesQuery, Resolvable {
    private let journal: Journal

    init(scope: any DependencyResolutionScope) {
        journal = scope.resolve()
    }

    func handle(_ query: ReadNotes) async throws -> [String] {
        journal.entries
    }
}

/// The tenants that handlers were made for, one entry a handler.
final class Tenants: Sendable {
    private let seen = Mutex<[Tenant]>([])

    var all: [Tenant] { seen.withLock(\.self) }

    func saw(_ tenant: Tenant) {
        seen.withLock { $0.append(tenant) }
    }
}

/// A container whose dispatcher knows these handlers, with a journal, and a tenant in each scope.
func container(
    commandHandlers: [any (HandlesCommand & Resolvable).Type] = [],
    queryHandlers: [any (HandlesQuery & Resolvable).Type] = [],
    register: (ContainerBuilder) -> Void = { _ in }
) -> Container {
    let builder = ContainerBuilder()
    builder.singleton { Journal() }
    builder.singleton { Tenants() }
    builder.scoped { Tenant() }
    builder
        .commandQueryDispatch()
        .standard(commandHandlers: commandHandlers, queryHandlers: queryHandlers)
    register(builder)
    return builder.build()
}
