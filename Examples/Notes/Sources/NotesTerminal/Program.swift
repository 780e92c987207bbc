// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceClient
import NotesClient
import NotesDomain

@main
struct Program {
    private static let usage = """
        Usage: notes add TITLE | rename NUMBER TITLE | remove NUMBER | list | sync | discard | watch | sign-out

        The server is NOTES_SERVER, by default http://127.0.0.1:8080. The user is NOTES_USER, by default ada. The token of the user is
        NOTES_TOKEN, by default that of the file 'notes.tokens', which the server makes in its folder.
        """

    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        let terminal = Terminal(device: try await device())
        switch (arguments.first, arguments.count) {
        case ("add", 2): try await terminal.send(AddNote(title: arguments[1]))
        case ("rename", 3):
            let note = try await terminal.note(arguments[1])
            try await terminal.send(RenameNote(note: note.id, title: arguments[2]))
        case ("remove", 2): try await terminal.send(RemoveNote(note: try await terminal.note(arguments[1]).id))
        case ("list", 1): try await terminal.list()
        case ("sync", 1): try await terminal.sync()
        case ("discard", 1): try await terminal.discard()
        case ("watch", 1): try await terminal.watch()
        case ("sign-out", 1): try await terminal.device.signOut(removing: path)
        default: Terminal.show(usage)
        }
    }

    private static let environment = ProcessInfo.processInfo.environment
    private static let user = environment["NOTES_USER"] ?? "ada"

    /// The file of the user on the device.
    private static let path = "notes-\(user).sqlite"

    /// Opens the device of the user.
    private static func device() async throws -> NotesDevice {
        let token = environment["NOTES_TOKEN"] ?? storedToken(of: user)
        var settings = RemoteDispatcher.Configuration()
        settings.token = { token }
        settings.maximumAttempts = 1
        let address = environment["NOTES_SERVER"] ?? "http://127.0.0.1:8080"
        #if canImport(FoundationNetworking)
        let transport = AsyncHTTPClientTransport()
        #else
        let transport = URLSessionTransport()
        #endif
        let remote = try RemoteDispatcher(Notes.api, at: address, through: transport, settings)
        return try await NotesDevice(remote, on: try SQLiteStore(path: path, entities: NotesDevice.entities))
    }

    private static func storedToken(of user: String) -> String? {
        let lines = try? String(contentsOfFile: "notes.tokens", encoding: .utf8).split(separator: "\n")
        return lines?.first { $0.hasPrefix("\(user):") }.map { String($0.dropFirst(user.count + 1)) }
    }
}
