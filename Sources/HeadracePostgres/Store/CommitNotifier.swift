// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import HeadraceStorage
import Synchronization

/// Notifies other stores on the same schema of commits, some milliseconds after them.
///
/// A notification within the transaction of a commit would make all commits of the server wait for each other, so each
/// notification covers the commits of some milliseconds and is sent afterwards. If a notification is lost, relays and
/// live queries find the commits when they look for them the next time.
final class CommitNotifier: Sendable {
    private struct State {
        var notice: CommitNotice?
        var isRunning = false
    }

    /// Time between two notifications.
    private static let interval = Duration.milliseconds(5)

    private let state = Mutex(State())
    private let slot: SessionSlot
    private let writer: UUID
    private let channel: String

    init(slot: SessionSlot, writer: UUID, channel: String) {
        self.slot = slot
        self.writer = writer
        self.channel = channel
    }

    /// Notifies other stores of `changes`, or of deliveries alone if it is `nil`.
    func note(_ changes: ChangeSet?) {
        let isFirst = state.withLock { state in
            var notice = state.notice ?? CommitNotice(writer: writer)
            if let changes { notice.add(changes) } else { notice.hasDeliveries = true }
            state.notice = notice
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if isFirst { Task.detached { await self.run() } }
    }

    private func run() async {
        while let notice = takeNotice() {
            await send(notice)
            try? await Task.sleep(for: Self.interval)
        }
    }

    private func takeNotice() -> CommitNotice? {
        state.withLock { state in
            defer { state.notice = nil }
            state.isRunning = state.notice != nil
            return state.notice
        }
    }

    private func send(_ notice: CommitNotice) async {
        // Other stores also look for commits on their own, so a failure needs no repetition.
        _ = try? await slot.session().run(
            "SELECT set_config('synchronous_commit', 'off', true), pg_notify($1, $2)",
            [.text([UInt8](channel)), .text([UInt8](try notice.payload))]
        )
    }
}
#endif
