// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceCore
import HeadraceResolution
import Synchronization

/// A list of recorded entries, in order, for any thread.
final class Journal: Sendable {
    private let recorded = Mutex<[String]>([])

    var entries: [String] { recorded.withLock(\.self) }

    func record(_ entry: String) {
        recorded.withLock { $0.append(entry) }
    }
}

/// An object that identifies its scope.
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

/// A query that returns the entries so far.
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
    streamHandlers: [any (HandlesStreamQuery & Resolvable).Type] = [],
    notificationHandlers: [any (HandlesNotification & Resolvable).Type] = [],
    middleware: [any Middleware] = [],
    observers: [any MessageObserver] = [],
    scoping: DispatchScoping = .dispatcher,
    clock: any TimeSource = ContinuousClock(),
    journal: Journal = Journal(),
    register: (ContainerBuilder) -> Void = { _ in }
) -> Container {
    let builder = ContainerBuilder()
    builder.singleton { journal }
    builder.singleton { Tenants() }
    builder.scoped { Tenant() }
    builder
        .commandQueryDispatch()
        .standard(
            commandHandlers: commandHandlers,
            queryHandlers: queryHandlers,
            streamHandlers: streamHandlers,
            notificationHandlers: notificationHandlers,
            middleware: middleware,
            observers: observers,
            scoping: scoping,
            clock: clock
        )
    register(builder)
    return builder.build()
}

/// Lets every message pass.
struct PassThrough: Middleware {
    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        try await next(message)
    }
}

/// Records the start and the end of each message.
struct Signposts: Middleware {
    let name: String
    let journal: Journal

    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        journal.record("\(name) in")
        do {
            let output = try await next(message)
            journal.record("\(name) out")
            return output
        } catch {
            journal.record("\(name) failed")
            throw error
        }
    }
}

/// Records the context of each message.
final class ContextRecorder: Middleware {
    private let seen = Mutex<[MessageContext]>([])

    var contexts: [MessageContext] { seen.withLock(\.self) }

    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        seen.withLock { $0.append(context) }
        return try await next(message)
    }
}

/// Refuses every message.
struct Closed: Middleware {
    struct Refusal: Error {}

    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        throw Refusal()
    }
}

/// Retries each message until it succeeds, with a maximum number of attempts.
struct Retrying: Middleware {
    let attempts: Int

    nonisolated(nonsending) func handle<Message: Sendable, Output>(
        _ message: Message,
        in context: MessageContext,
        next: Next<Message, Output>
    ) async throws -> Output {
        for _ in 1..<attempts {
            if let output = try? await next(message) { return output }
        }
        return try await next(message)
    }
}
