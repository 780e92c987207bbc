// SPDX-License-Identifier: Apache-2.0

public import Foundation

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
        for line in data.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
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
