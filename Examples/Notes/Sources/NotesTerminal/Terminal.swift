// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceClient
import HeadraceStations
import NotesClient
import NotesDomain

/// The commands of the terminal, of which only `sync` and `watch` use the network.
struct Terminal {
    let device: NotesDevice

    func send(_ command: some OfflineCommand) async throws {
        try await device.offline.send(command)
        try await list()
    }

    /// Returns the note with this number in the list.
    func note(_ number: String) async throws -> NoteRow {
        let notes = try await notes()
        guard let number = Int(number), notes.indices.contains(number - 1) else {
            throw UsageError(description: "There is no note '\(number)'. 'notes list' shows the numbers.")
        }
        return notes[number - 1]
    }

    func list() async throws {
        var state = NotesScreen.State()
        state.notes = try await notes()
        state.pending = try await device.offline.pending
        Self.show(state.text)
    }

    func sync() async throws {
        let pending = try await device.sync()
        try await list()
        if let failure = pending.lazy.filter({ !$0.isRejected }).compactMap(\.failure).first {
            throw UsageError(description: "\(failure.message) The changes wait for the next 'notes sync'.")
        }
    }

    /// Gives up the commands that the server has refused.
    func discard() async throws {
        for command in try await device.offline.pending where command.isRejected {
            try await device.offline.discard(command.id)
        }
        try await list()
    }

    /// Shows the notes after each change, and pours an action for each line that is typed.
    @MainActor
    func watch() async throws {
        let station = Station(initialState: NotesScreen.State()) { NotesScreen(device) }
        let typing = Task {
            for await line in Self.typedLines { station.pour(Self.action(line, in: station.notes ?? [])) }
        }
        defer { typing.cancel() }
        var shown = ""
        for await state in station.states where state.notes != nil && state.text != shown {
            shown = state.text
            Self.show("\(shown)\n")
        }
    }

    /// Returns the action of a typed line: `Tea` adds a note, `Tea > Coffee` renames it, and `- Tea` removes it.
    ///
    /// An empty line ends the pause after a failed attempt.
    private static func action(_ line: String, in notes: [NoteRow]) -> NotesScreen.Action {
        let names = line.split(separator: " > ", maxSplits: 1).map(String.init)
        if line.isEmpty { return .retried }
        if names.count < 2, !line.hasPrefix("- ") { return .added(title: line) }
        let title = names.count == 2 ? names[0] : String(line.dropFirst(2))
        guard let note = notes.last(where: { $0.title == title }) else {
            return .failed("There is no note '\(title)'.")
        }
        return names.count == 2 ? .renamed(note, title: names[1]) : .removed(note)
    }

    /// Writes a text at once, also into a pipe.
    static func show(_ text: String) {
        FileHandle.standardOutput.write(Data("\(text)\n".utf8))
    }

    private func notes() async throws -> [NoteRow] {
        for try await notes in device.notes { return notes }
        return []
    }

    /// The lines of the standard input.
    private static var typedLines: AsyncStream<String> {
        AsyncStream { lines in
            Thread.detachNewThread {
                while let line = readLine() { lines.yield(line) }
                lines.finish()
            }
        }
    }
}

struct UsageError: Error, CustomStringConvertible {
    let description: String
}

extension NotesScreen.State {
    var text: String {
        let notes = notes ?? []
        var lines = notes.enumerated().map { number, note in
            "\(number + 1). \(note.title)\(isWaiting(note) ? "  (waits)" : "")"
        }
        if notes.isEmpty { lines.append("No notes.") }
        for command in rejections { lines.append("Refused: \(command.failure?.message ?? command.name)") }
        if let problem { lines.append("Problem: \(problem)") }
        return lines.joined(separator: "\n")
    }
}
