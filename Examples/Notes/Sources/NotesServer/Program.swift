// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceHummingbird
import NotesDomain

@main
struct Program {
    static func main() async {
        do {
            let users = try TokenUser.users(in: try tokens())
            let environment = ProcessInfo.processInfo.environment
            let port = environment["NOTES_PORT"].flatMap { Int($0) } ?? 8080
            try await NotesServer(store: try await store(environment["NOTES_DATABASE"]), users: users).run(port: port)
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private static func store(_ url: String?) async throws -> any DeliveryStore {
        #if Postgres
        if let url { return try await PostgresStore(url: url, entities: [Note.self]) }
        #endif
        return try SQLiteStore(path: url ?? "notes.sqlite", entities: [Note.self])
    }

    /// Returns the content of the file with the tokens of the users, which only its owner can read.
    private static func tokens() throws -> String {
        let path = "notes.tokens"
        if let known = try? String(contentsOfFile: path, encoding: .utf8) { return known }
        let new = ["ada", "ben"].map { "\($0):\(TokenUser.makeToken())\n" }.joined()
        guard
            FileManager.default.createFile(
                atPath: path, contents: Data(new.utf8), attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown) }
        return new
    }
}
