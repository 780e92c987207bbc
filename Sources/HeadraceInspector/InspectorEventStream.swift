// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HeadraceCore

/// Live changes of the flow as server-sent events.
///
/// The stream begins with the recorded entries. Then it returns changes within 200 milliseconds, and the rates every
/// second. Reading it keeps the inspector active. The stream ends when its task is cancelled.
///
/// Related documentation: <https://html.spec.whatwg.org/multipage/server-sent-events.html>
public struct InspectorEventStream: AsyncSequence, Sendable {
    /// The bytes of one event, ready to be written.
    public typealias Element = Data

    /// The stream doesn't throw.
    public typealias Failure = Never

    private let inspector: Inspector
    private let permit: Permit
    private let revision: UInt64

    init(_ inspector: Inspector, after revision: UInt64, permit: Permit) {
        self.inspector = inspector
        self.revision = revision
        self.permit = permit
    }

    /// Creates an iterator.
    ///
    /// A stream supports one iterator at a time.
    public func makeAsyncIterator() -> Iterator {
        Iterator(inspector: inspector, permit: permit, revision: revision)
    }

    /// Returns the events of the stream.
    public struct Iterator: AsyncIteratorProtocol {
        private static let pause: Duration = .milliseconds(200)
        private static let heartbeat: Duration = .seconds(1)
        private static let batchLimit = 500

        let inspector: Inspector

        /// Occupies one of the available streams until the iterator is released.
        let permit: Permit

        var revision: UInt64
        private var hasBegun = false
        private var nextRates: ContinuousClock.Instant?

        init(inspector: Inspector, permit: Permit, revision: UInt64) {
            self.inspector = inspector
            self.permit = permit
            self.revision = revision
        }

        /// Returns the next event, or `nil` if the task is cancelled.
        public mutating func next() async -> Data? {
            await next(isolation: #isolation)
        }

        /// Returns the next event, or `nil` if the task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Data? {
            let clock = inspector.recorder.clock
            while !Task.isCancelled {
                inspector.activate()
                if !hasBegun {
                    hasBegun = true
                    return ServerSentEvent.retry(after: .seconds(1)).bytes
                }
                if let flow = takeFlow() { return flow }
                let now = clock.now
                if now >= nextRates ?? now {
                    nextRates = now.advanced(by: Self.heartbeat)
                    return Self.event("rates", inspector.recorder.rates)
                }
                guard await Self.pause(on: clock) else { return nil }
            }
            return nil
        }

        private mutating func takeFlow() -> Data? {
            let flow = inspector.recorder.flow(after: revision, limit: Self.batchLimit)
            revision = flow.revision
            return flow.entries.isEmpty ? nil : Self.event("flow", flow)
        }

        private static func pause(on clock: some TimeSource) async -> Bool {
            do {
                try await clock.sleep(until: clock.now.advanced(by: pause), tolerance: nil)
                return true
            } catch {
                return false
            }
        }

        private static func event(_ name: String, _ value: some Encodable) -> Data? {
            guard case .data(let json) = InspectorResponse.json(value).body else { return nil }
            return ServerSentEvent(name, data: String(decoding: json, as: UTF8.self)).bytes
        }
    }
}

/// An event of a stream of server-sent events.
///
/// ```swift
/// let event = ServerSentEvent("seats", data: #"{"left": 3}"#, id: "17")
/// print(event.text)  // three lines, then an empty line
/// ```
///
/// Related documentation: <https://html.spec.whatwg.org/multipage/server-sent-events.html>
public struct ServerSentEvent: Sendable, Hashable {
    /// The event as text, including the empty line at its end.
    public let text: String

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - name: The name of the event; `nil` for the standard name, which is `message`. Line ends are removed.
    ///   - data: The data. Each of its lines becomes a line of the event.
    ///   - id: The ID that the client sends as `Last-Event-ID` when it connects again; `nil` for none. Line ends are
    ///     removed.
    public init(_ name: String? = nil, data: String, id: String? = nil) {
        var text = ""
        if let id { text += "id: \(Self.line(id))\n" }
        if let name { text += "event: \(Self.line(name))\n" }
        for line in data.split(omittingEmptySubsequences: false, whereSeparator: Self.endsLine) {
            text += "data: \(line)\n"
        }
        self.text = text + "\n"
    }

    private init(text: String) {
        self.text = text
    }

    /// Creates an event with the JSON of `value` as its data.
    ///
    /// - Throws: `EncodingError` if `value` can't be encoded.
    public init(_ name: String? = nil, json value: some Encodable, id: String? = nil) throws {
        self.init(name, data: String(decoding: try Self.encode(value), as: UTF8.self), id: id)
    }

    /// A comment, which clients ignore.
    ///
    /// Regular comments keep a connection open that a proxy would close, and detect a client that is gone.
    public static func comment(_ text: String) -> ServerSentEvent {
        ServerSentEvent(text: ": \(line(text))\n\n")
    }

    /// The time after which the client connects again, to the millisecond.
    public static func retry(after delay: Duration) -> ServerSentEvent {
        ServerSentEvent(text: "retry: \(Int(delay / .milliseconds(1)))\n\n")
    }

    /// The UTF-8 of ``text``.
    public var bytes: Data { Data(text.utf8) }

    /// Whether a client sees the end of a line in `character`; other separators, such as U+2028, are data.
    private static func endsLine(_ character: Character) -> Bool {
        character.isNewline && (character == "\n" || character == "\r" || character == "\r\n")
    }

    private static func line(_ text: String) -> String {
        text.filter { !$0.isNewline && $0 != "\0" }
    }

    /// Returns the JSON of `value` with sorted members, on one line.
    private static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }
}
