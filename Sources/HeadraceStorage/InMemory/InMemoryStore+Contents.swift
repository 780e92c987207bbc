// SPDX-License-Identifier: Apache-2.0

import Synchronization

extension InMemoryStore {
    /// The whole content of a store at one moment.
    package struct Contents: Sendable {
        fileprivate let state: InMemoryState
    }

    /// The whole content of the store now.
    package var contents: Contents { Contents(state: state.withLock { $0 }) }

    /// Replaces the whole content of the store, for tests of a server that loses its last changes.
    package func restore(_ contents: Contents) {
        state.withLock { $0 = contents.state }
    }
}
