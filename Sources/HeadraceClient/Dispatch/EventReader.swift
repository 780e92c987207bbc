// SPDX-License-Identifier: Apache-2.0

#if Client
import Foundation
import HeadraceCore

/// An event of a stream of server-sent events.
struct ReceivedEvent: Equatable {
    /// The name; `message` if it has none.
    var name = "message"

    /// The lines of the data, joined by line feeds.
    var data = Data()

    /// The last ID that the stream has named; `nil` if there is none.
    var id: String?
}

/// Reads server-sent events from the parts of a body.
///
/// Related documentation: <https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation>
struct EventReader {
    /// An event is longer than permitted.
    struct TooLong: Error, CustomStringConvertible {
        let limit: Int
        var description: String { "an event of the stream is longer than \(limit) bytes" }
    }

    private var parts: any AsyncIteratorProtocol<Data, any Error>
    private let longest: Int

    /// The longest time without a byte; `nil` for no limit.
    private let silence: (limit: Duration, clock: any TimeSource)?

    /// The bytes of the line that hasn't ended.
    private var line: [UInt8] = []

    /// The part whose bytes are being read, and the position of the next.
    private var part = Data()
    private var position = 0

    private var followsCarriageReturn = false
    private var isFirstLine = true
    private var id: String?

    init(
        _ body: any AsyncSequence<Data, any Error>,
        longest: Int,
        silence: (limit: Duration, clock: any TimeSource)? = nil
    ) {
        parts = body.makeAsyncIterator()
        self.longest = longest
        self.silence = silence
    }

    /// Returns the next event that has data; `nil` at the end of the stream.
    ///
    /// An event without its empty line is incomplete.
    mutating func next() async throws -> ReceivedEvent? {
        var event = ReceivedEvent()
        var lines: [[UInt8]] = []
        var length = 0
        while let line = try await nextLine() {
            length += line.count
            if length > longest { throw TooLong(limit: longest) }
            if line.isEmpty {
                if lines.isEmpty {
                    event = ReceivedEvent()
                    continue
                }
                event.data = Data(lines.joined(separator: [UInt8(ascii: "\n")]))
                event.id = id
                return event
            }
            let (field, value) = Self.parts(of: line)
            switch field {
            case "data": lines.append(value)
            case "event": event.name = value.isEmpty ? "message" : String(decoding: value, as: UTF8.self)
            case "id": if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
            default: continue
            }
        }
        return nil
    }

    private static func parts(of line: [UInt8]) -> (field: String, value: [UInt8]) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            return (String(decoding: line, as: UTF8.self), [])
        }
        var value = line[(colon + 1)...]
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        return (String(decoding: line[..<colon], as: UTF8.self), Array(value))
    }

    /// Returns the next line without its end; `nil` if the stream ends before the end of a line.
    private mutating func nextLine() async throws -> [UInt8]? {
        while true {
            while position < part.count {
                let byte = part[part.startIndex + position]
                position += 1
                let isSecondHalf = followsCarriageReturn && byte == UInt8(ascii: "\n")
                followsCarriageReturn = byte == UInt8(ascii: "\r")
                if isSecondHalf { continue }
                if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { return endLine() }
                line.append(byte)
                if line.count > longest { throw TooLong(limit: longest) }
            }
            guard let next = try await nextPart() else { return nil }
            part = next
            position = 0
        }
    }

    private mutating func nextPart() async throws -> Data? {
        guard let (limit, clock) = silence else { return try await parts.next(isolation: #isolation) }
        var parts = parts
        defer { self.parts = parts }
        let outcome = await withInterruptibleChild(until: clock.now.advanced(by: limit), on: clock) {
            try await parts.next(isolation: #isolation)
        }
        switch outcome {
        case .ended(let result): return try result.get()
        case .interrupted: throw StreamError.silent
        }
    }

    private mutating func endLine() -> [UInt8] {
        defer { line = [] }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        guard isFirstLine else { return line }
        isFirstLine = false
        return line.starts(with: mark) ? Array(line.dropFirst(mark.count)) : line
    }
}
#endif
