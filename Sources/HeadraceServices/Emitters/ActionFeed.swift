//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceCore

/// Actions made of a log that is read page by page, such as the event log of a store.
///
/// ```swift
/// ArticlesService()
///     .emit(
///         using: ActionFeed(after: position) { position in
///             try await store.events(after: position, limit: 100)
///         } position: {
///             $0.position
///         } action: { record in
///             record.event.name == "article-published" ? ArticlesAction.reload : nil
///         }
///     )
/// ```
///
/// It gives the actions in the order of the log, from the position on, and reads on where the last page ended. When there is
/// nothing new it waits for an interval, and reads again. It ends when the task is cancelled, and fails when a page cannot be
/// read.
public struct ActionFeed<Position: Sendable, Entry: Sendable, Element: Action>: AsyncSequence, Sendable {
    /// Reads the feed, page by page.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let feed: ActionFeed
        private var position: Position
        private var page: ArraySlice<Entry> = []

        init(_ feed: ActionFeed) {
            self.feed = feed
            position = feed.start
        }

        /// The next action, or `nil` where the task is cancelled.
        ///
        /// - Throws: What reading a page throws.
        public mutating func next() async throws -> Element? {
            while !Task.isCancelled {
                while let entry = page.popFirst() {
                    position = feed.position(entry)
                    if let action = feed.action(entry) { return action }
                }
                page = try await feed.read(position)[...]
                if page.isEmpty {
                    try? await feed.clock.sleep(until: feed.clock.now.advanced(by: feed.interval), tolerance: nil)
                }
            }
            return nil
        }
    }

    private let start: Position
    private let interval: Duration
    private let clock: any TimeSource
    private let read: @Sendable (Position) async throws -> [Entry]
    private let position: @Sendable (Entry) -> Position
    private let action: @Sendable (Entry) -> Element?

    /// Creates a feed.
    ///
    /// - Parameters:
    ///   - start: The position after which it begins.
    ///   - interval: How long it waits when there is nothing new.
    ///   - clock: What it waits on.
    ///   - read: Reads some entries after a position, in order; none where there are none yet.
    ///   - position: Where an entry stands.
    ///   - action: What an entry becomes, or `nil` where it is of no interest.
    public init(
        after start: Position,
        every interval: Duration = .seconds(1),
        on clock: any TimeSource = ContinuousClock(),
        reading read: @escaping @Sendable (Position) async throws -> [Entry],
        position: @escaping @Sendable (Entry) -> Position,
        action: @escaping @Sendable (Entry) -> Element?
    ) {
        self.start = start
        self.interval = interval
        self.clock = clock
        self.read = read
        self.position = position
        self.action = action
    }

    /// Begins to read.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}
