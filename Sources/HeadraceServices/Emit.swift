// SPDX-License-Identifier: Apache-2.0

public import HeadraceCore

extension Service {
    /// Passes the actions of a sequence to the services under the modifier, one at a time.
    ///
    /// The emitter requests the next action after the services have handled the previous action. Services elsewhere in the tree
    /// don't receive emitted actions, but the services under the emitter can send actions to the whole cluster. The modifiers
    /// around the emitter apply to its actions in the usual way: `pre` runs before the services, `post` and `observe` run after
    /// them, and `transformError` turns their errors into actions. A remaining error is logged, and the emitter continues. An
    /// error of the sequence ends the emitter: the error is transformed by a `transformError` around the emitter, or it is
    /// logged and ``Bootstrap/run()`` throws it.
    ///
    /// - Parameters:
    ///   - source: The sequence. The cluster retains it until it ends. When the cluster is released, the task that waits for
    ///     the sequence is cancelled.
    ///   - consumeAtBootstrap: Whether ``Bootstrap`` consumes the whole sequence before its initializer returns, and throws
    ///     the first error. Otherwise the emitter starts when the initializer returns.
    /// - Returns: The service with the modifier.
    public func emit<Source: AsyncSequence & Sendable>(
        using source: Source,
        consumeAtBootstrap: Bool = false
    ) -> ModifiedService<Self> where Source.Element: Action, Source.AsyncIterator: SendableMetatype {
        emit(consumeAtBootstrap: consumeAtBootstrap) { source }
    }

    /// Passes the actions of a sequence to the services, as `emit(using:consumeAtBootstrap:)`, with actions of several types.
    @_disfavoredOverload
    public func emit<Source: AsyncSequence & Sendable>(
        using source: Source,
        consumeAtBootstrap: Bool = false
    ) -> ModifiedService<Self> where Source.Element == any Action, Source.AsyncIterator: SendableMetatype {
        emitting(nil, consumeAtBootstrap) { take in
            for try await action in source {
                guard try await take(action) else { return }
            }
        }
    }

    /// Passes the actions of a sequence to the services, as `emit(using:consumeAtBootstrap:)`, and creates the sequence on demand.
    public func emit<Source: AsyncSequence & SendableMetatype>(
        consumeAtBootstrap: Bool = false,
        from makeSource: @escaping @Sendable () async throws -> Source
    ) -> ModifiedService<Self> where Source.Element: Action, Source.AsyncIterator: SendableMetatype {
        emitting(Source.Element.self, consumeAtBootstrap) { take in
            for try await action in try await makeSource() {
                guard try await take(action) else { return }
            }
        }
    }

    /// Passes an action to the services under the modifier repeatedly; the first after one interval.
    ///
    /// An action that takes longer than the interval delays the next action. Missed actions aren't repeated. For errors and
    /// modifiers see `emit(using:consumeAtBootstrap:)`.
    ///
    /// - Parameters:
    ///   - interval: The time before each action.
    ///   - clock: The clock that measures the interval. A test can pass a clock that it advances itself.
    ///   - makeAction: Returns the action.
    /// - Returns: The service with the modifier.
    public func emit<A: Action>(
        every interval: Duration,
        on clock: any TimeSource = CurrentClock(),
        _ makeAction: @escaping @Sendable () -> A
    ) -> ModifiedService<Self> {
        emitting(A.self, false) { take in
            while !Task.isCancelled {
                try await clock.sleep(until: clock.now.advanced(by: interval), tolerance: nil)
                guard try await take(makeAction()) else { return }
            }
        }
    }

    private func emitting(
        _ action: (any Action.Type)?,
        _ isConsumedFirst: Bool,
        _ pump: @escaping Emitter.Pump
    ) -> ModifiedService<Self> {
        ModifiedService(self) { context in
            let (findings, path, modifiers) = (context.findings, context.path, context.modifiers)
            return { base in
                findings.emitters.append(
                    Emitter(pump, isConsumedFirst: isConsumedFirst, of: base, within: modifiers, at: path)
                )
                // A modifier for all action types, for example a logger, doesn't count as a handler of this type.
                let isNamed = modifiers.contains {
                    guard case .interceptor(let interceptor) = $0, let type = interceptor.actionType else {
                        return false
                    }
                    return type == action
                }
                if let action, !isNamed, !base.wants(action) {
                    findings.note(.unheard(action, at: path, from: "emit"))
                }
                let remark = action.map { "emits \(String(shortNaming: $0))" } ?? "emits"
                return ServiceNode(base, labelled: .remark(remark))
            }
        }
    }
}

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
        on clock: any TimeSource = CurrentClock(),
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
