// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The state of the history on the disk.
final class HistoryStatus: Sendable {
    private let state: Mutex<HistoryView>

    init(_ view: HistoryView) {
        state = Mutex(view)
    }

    var view: HistoryView { state.withLock { $0 } }

    /// Reports that all entries were written, except `dropped` entries.
    func succeeded(dropped: Int) {
        state.withLock { view in
            view.dropped += dropped
            view.failure = nil
        }
    }

    /// Reports that the last entries couldn't be written.
    func failed(_ error: any Error) {
        state.withLock { $0.failure = error.localizedDescription }
    }
}
