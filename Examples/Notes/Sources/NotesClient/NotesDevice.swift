// SPDX-License-Identifier: Apache-2.0

import Foundation
import Headrace
import HeadraceClient
import NotesDomain

/// The notes of one user on one device, with and without a network.
package struct NotesDevice: Sendable {
    /// The types in the store of a device.
    package static let entities: [any StoredEntity.Type] = [StoredOfflineCommand.self, Note.self]

    package let offline: OfflineDispatcher
    private let remote: RemoteDispatcher
    private let store: any ObservableStore
    private let predicted: PredictedStore
    private let dispatcher: any CommandQueryDispatcher

    package init(_ remote: RemoteDispatcher, on store: any ObservableStore) async throws {
        self.remote = remote
        self.store = store
        predicted = PredictedStore(of: store)
        dispatcher = try Notes.container(on: predicted).resolve()
        offline = try await OfflineDispatcher(remote, predictingIn: predicted, by: dispatcher)
    }

    /// The notes with the effects of the pending commands, and again after each change.
    package var notes: LiveQuery<[NoteRow]> {
        predicted.observe { [dispatcher] _ in try await dispatcher.dispatch(ListNotes()) }
    }

    /// Sends the pending commands, and follows the notes of the server, until the task is cancelled.
    package func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { [offline] group in
            group.addTask { try await offline.run() }
            group.addTask { try await offline.replicate(ListNotes(), as: Note.self) { rows in rows.map { Note($0) } } }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Sends the pending commands, and returns when the device has the notes of the server.
    ///
    /// - Returns: The commands that the server hasn't carried out: it has refused them, or it can't be reached.
    package func sync() async throws -> [PendingCommand] {
        let attempts = try await offline.pending.reduce(into: [:]) { $0[$1.id] = $1.attempts }
        return try await withThrowingTaskGroup(of: [PendingCommand]?.self) { group in
            group.addTask {
                try await run()
                return nil
            }
            group.addTask {
                for try await pending in offline.observePending() {
                    let hasFailed = pending.contains { !$0.isRejected && $0.attempts > attempts[$0.id, default: 0] }
                    if hasFailed { return pending }
                    if pending.allSatisfy({ isBlocked($0, among: pending) }) { break }
                }
                // With each value of the device, the server is asked again: other devices change its notes, too.
                for try await notes in notes where try await notes == remote.dispatch(ListNotes()) { break }
                return try await offline.pending
            }
            defer { group.cancelAll() }
            return try await group.next().flatMap { $0 } ?? []
        }
    }

    /// Removes everything that the device has stored at `path`, because its user signs out.
    ///
    /// - Throws: `WaitingChanges` if commands would be lost; the errors of the file system.
    package func signOut(removing path: String) async throws {
        let pending = try await offline.pending
        if !pending.isEmpty { throw WaitingChanges(count: pending.count) }
        try store.close()
        // The last two exist if another program has the file open, or was killed.
        for name in [path, "\(path)-wal", "\(path)-shm"] where FileManager.default.fileExists(atPath: name) {
            try FileManager.default.removeItem(atPath: name)
        }
    }

    /// Whether a command waits for a decision of the user: it was refused, or one before it.
    private func isBlocked(_ command: PendingCommand, among pending: [PendingCommand]) -> Bool {
        pending.contains { $0.isRejected && $0.orderKey == command.orderKey }
    }
}

/// Commands that would be lost.
package struct WaitingChanges: Error, CustomStringConvertible {
    let count: Int

    package var description: String {
        "The number of changes that aren't on the server is \(count). To fix, run 'notes sync', and give refused changes up with 'notes discard'."
    }
}
