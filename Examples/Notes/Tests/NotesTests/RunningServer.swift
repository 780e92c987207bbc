// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceClient
import HeadraceHummingbird
import NotesClient
import NotesDomain
import Testing

@testable import NotesServer

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A server on a free port, and devices of its user.
struct RunningServer: Sendable {
    let port: Int
    let token: String

    /// The lines that the server has announced.
    let announced: AsyncStream<String>

    /// Runs a server while `body` runs.
    static func with(
        _ store: InMemoryStore,
        _ body: @escaping @Sendable (RunningServer) async throws -> Void
    ) async throws {
        let token = TokenUser.makeToken()
        let (ports, port) = AsyncStream<Int>.makeStream()
        let (announced, announcing) = AsyncStream<String>.makeStream()
        let users = [try TokenUser("ada", token: token)]
        let server = NotesServer(store: store, users: users, announcer: Announcer { announcing.yield($0) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run(port: 0) { port.yield($0) } }
            group.addTask {
                for await port in ports {
                    return try await body(RunningServer(port: port, token: token, announced: announced))
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Returns a device of the user.
    func device(_ store: InMemoryStore? = nil) async throws -> NotesDevice {
        try await Self.device(on: store ?? Self.deviceStore(), port: port, token: token)
    }

    /// The names of the messages of a chain that the inspector knows; `page` is its announcement, with the token.
    func messages(page: String, chain: UUID) async throws -> Set<String> {
        struct Messages: Decodable {
            struct Entry: Decodable { let type: String }
            let entries: [Entry]
        }
        let token = try #require(page.split(separator: "token=").last)
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/inspector/api/messages?chain=\(chain)"))
        var request = URLRequest(url: url)
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        let (json, _) = try await URLSession.shared.data(for: request)
        return Set(try JSONDecoder().decode(Messages.self, from: json).entries.map(\.type))
    }

    static func deviceStore() throws -> InMemoryStore { try InMemoryStore(entities: NotesDevice.entities) }

    static func device(on store: any ObservableStore, port: Int, token: String) async throws -> NotesDevice {
        var settings = RemoteDispatcher.Configuration()
        settings.token = { token }
        settings.maximumAttempts = 1
        let remote = try RemoteDispatcher(
            Notes.api, at: "http://127.0.0.1:\(port)", through: URLSessionTransport(), settings)
        return try await NotesDevice(remote, on: store)
    }
}

extension NotesDevice {
    /// Runs the device while `body` runs.
    func running(_ body: () async throws -> Void) async throws {
        let task = Task { try await run() }
        defer { task.cancel() }
        try await body()
    }

    /// Returns when the titles of the visible notes are `titles`.
    func show(_ titles: [String]) async throws {
        for try await notes in notes where notes.map(\.title) == titles { return }
    }

    /// The visible notes.
    var current: [NoteRow] {
        get async throws {
            for try await notes in notes { return notes }
            return []
        }
    }
}
