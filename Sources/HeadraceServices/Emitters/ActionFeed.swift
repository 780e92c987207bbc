// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

/// A sequence of actions made from a log that is read page by page, such as the event log of a store.
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
/// The sequence returns the actions in the order of the log, starting after a position, and continues after the last page
/// that it read. If a page is empty, it waits for an interval and reads again. It ends when the task is cancelled, and throws
/// if a page can't be read.
public struct ActionFeed<Position: Sendable, Entry: Sendable, Element: Action>: AsyncSequence, Sendable {
    /// An iterator that reads the feed page by page.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let feed: ActionFeed
        private var position: Position
        private var page: ArraySlice<Entry> = []

        init(_ feed: ActionFeed) {
            self.feed = feed
            position = feed.start
        }

        /// Returns the next action, or `nil` if the task is cancelled.
        ///
        /// - Throws: The error of reading a page.
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
    ///   - start: The position after which the feed begins.
    ///   - interval: The time between two reads after an empty page.
    ///   - clock: The clock that measures the interval.
    ///   - read: Returns a page of entries after a position, in order. An empty page means that there are no newer entries yet.
    ///   - position: Returns the position of an entry.
    ///   - action: Returns the action for an entry, or `nil` to skip the entry.
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

    /// Returns an iterator that begins after the start position.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}
