// SPDX-License-Identifier: Apache-2.0

#if Server
import Foundation
import NIOCore
import NIOPosix

/// A raw connection to a server.
struct Connection: Sendable {
    private let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>

    /// Connects to a local port, and closes the connection when `body` ends.
    static func with<Value: Sendable>(
        port: Int,
        receiveBuffer: Int? = nil,
        _ body: @Sendable (inout Reading, Writing) async throws -> Value
    ) async throws -> Value {
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        if let receiveBuffer {
            bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: .init(receiveBuffer))
        }
        let channel = try await bootstrap.connect(host: "127.0.0.1", port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                    wrappingChannelSynchronously: channel,
                    configuration: .init(isOutboundHalfClosureEnabled: true)
                )
            }
        }
        return try await channel.executeThenClose { inbound, outbound in
            var reading = Reading(iterator: inbound.makeAsyncIterator())
            return try await body(&reading, Writing(outbound: outbound))
        }
    }

    /// The input from the server.
    struct Reading {
        fileprivate var iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator
        private var buffer: [UInt8] = []

        /// Number of bytes of the buffer that were searched without success.
        private var searched = 0

        fileprivate init(iterator: NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator) {
            self.iterator = iterator
        }

        /// Returns all bytes until the server closes the connection.
        mutating func all() async throws -> [UInt8] {
            while let bytes = try await next() { buffer += bytes }
            return buffer
        }

        /// Returns the text up to and including `mark`; `nil` if the connection is closed before.
        mutating func text(upTo mark: String) async throws -> String? {
            let mark = Array(mark.utf8)
            while true {
                if let range = buffer[searched...].firstRange(of: mark) {
                    defer {
                        buffer.removeSubrange(..<range.upperBound)
                        searched = 0
                    }
                    return String(decoding: buffer[..<range.upperBound], as: UTF8.self)
                }
                searched = max(0, buffer.count - mark.count)
                guard let bytes = try await next() else { return nil }
                buffer += bytes
            }
        }

        private mutating func next() async throws -> [UInt8]? {
            do {
                return try await iterator.next(isolation: #isolation).map { Array($0.readableBytesView) }
            } catch let error as IOError where error.errnoCode == ECONNRESET {
                return nil
            }
        }
    }

    /// The output to the server.
    struct Writing: Sendable {
        fileprivate let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>

        /// Ends the output; the server can still answer.
        func finish() { outbound.finish() }

        func send(_ text: String) async throws { try await send(Array(text.utf8)) }

        /// Sends `bytes`.
        ///
        /// If the server has closed the connection, only reading reports it.
        func send(_ bytes: [UInt8]) async throws {
            do {
                try await outbound.write(ByteBuffer(bytes: bytes))
            } catch ChannelError.ioOnClosedChannel {}
        }
    }
}
#endif
