// SPDX-License-Identifier: Apache-2.0

/// A store whose commits can be observed, for example by live queries.
public protocol ObservableStore: EntityStore {
    /// Records the commits of this store object.
    var commitFeed: CommitFeed { get }

    /// Looks for commits of other processes, and of other store objects on the same data, and records them in
    /// ``commitFeed``.
    ///
    /// The default does nothing, which is right for a store that has no other writers.
    ///
    /// - Throws: ``StoreError`` if the store can't be read; `CancellationError`.
    func noticeOtherCommits() async throws
}

extension ObservableStore {
    /// Does nothing.
    public func noticeOtherCommits() async throws {}
}
