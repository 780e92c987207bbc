// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import Synchronization

/// A proxy before a server, which can cut a connection at each byte and withhold answers.
///
/// Unsafe code: the calls of the operating system take pointers to local variables, which outlive the calls.
final class CuttingProxy: Sendable {
    /// A fault of the armed connection, which happens once.
    enum Fault: Sendable {
        /// The connection is cut after the client has sent a number of further bytes.
        case cut(afterSent: Int)
        /// Nothing that the client sends after a number of further bytes reaches the server, as if the client had
        /// stopped.
        case stop(afterSent: Int)
        /// The first further answer doesn't reach the client, and the connection is cut.
        case loseAnswer
        /// The client reads nothing after a number of further bytes, as if it were stopped, until ``resumeAnswers()``.
        case stopAnswers(after: Int)
    }

    private struct State {
        var fault: Fault?
        // `nil` for each connection.
        var armed: Int? = 0
        var acceptedCount = 0
        var faultCount = 0
        var waiters: [CheckedContinuation<Void, Never>] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let listening: Int32
    private let target: String
    private let answers = DispatchSemaphore(value: 0)

    /// The port on which clients connect.
    let port: UInt16

    /// Number of faults that have happened.
    var faultCount: Int { state.withLock { $0.faultCount } }

    /// Listens on a free port.
    ///
    /// - Parameter target: The path of the server's socket.
    /// - Throws: `POSIXError` if no port is free.
    init(before target: String) throws {
        self.target = target
        listening = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listening = listening
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe bind(listening, address, size) == 0 && listen(listening, 64) == 0
                    && getsockname(listening, address, &size) == 0
            }
        }
        if !isListening { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in accept() }
    }

    /// Accepts no further connections, and ends the thread; a second call does nothing.
    ///
    /// The thread closes the socket afterwards. By then, another test may use the number for a connection.
    func close() {
        let isFirst = state.withLock { state in
            defer { state.isClosed = true }
            return !state.isClosed
        }
        if isFirst { shutdown(listening, Int32(SHUT_RDWR)) }
    }

    /// Arms a fault for the connection `number`, counting from 0; by default, for the connection that was made last.
    func arm(_ fault: Fault, for number: Int? = nil) {
        state.withLock { state in
            state.fault = fault
            state.armed = number ?? state.acceptedCount - 1
        }
    }

    /// Arms a fault for any of the last connections, and returns after a fault.
    func armNext(_ fault: Fault) async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.fault = fault
                state.armed = nil
                state.waiters.append(continuation)
            }
        }
    }

    /// Returns when a fault has happened.
    func waitForFault() async {
        await withCheckedContinuation { continuation in
            let hasHappened = state.withLock { state in
                if state.faultCount == 0 { state.waiters.append(continuation) }
                return state.faultCount > 0
            }
            if hasHappened { continuation.resume() }
        }
    }

    /// Lets the client read again after ``Fault/stopAnswers(after:)``.
    func resumeAnswers() {
        answers.signal()
    }

    private func noteFault(_ state: inout State) {
        state.fault = nil
        state.faultCount += 1
        for waiter in state.waiters { waiter.resume() }
        state.waiters = []
    }

    private func accept() {
        while true {
            let client = Foundation.accept(listening, nil, nil)
            if client < 0, !state.withLock(\.isClosed) { continue }
            if client < 0 { break }
            let number = state.withLock { state in
                defer { state.acceptedCount += 1 }
                return state.acceptedCount
            }
            Thread.detachNewThread { [self] in
                let server = connectToTarget()
                forward(client: client, server: server, number: number)
                _ = Foundation.close(client)
                _ = Foundation.close(server)
            }
        }
        _ = Foundation.close(listening)
    }

    private func connectToTarget() -> Int32 {
        let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(target.utf8)) }
        _ = unsafe withUnsafePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe connect(server, address, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return server
    }

    /// Forwards bytes in both directions until one side ends, or the fault happens.
    private func forward(client: Int32, server: Int32, number: Int) {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        var isStopped = false
        while true {
            var descriptors = [
                // A stopped client is read no longer, except its end.
                pollfd(fd: client, events: isStopped ? Int16(Self.hangUp) : Int16(POLLIN), revents: 0),
                pollfd(fd: server, events: Int16(POLLIN), revents: 0),
            ]
            _ = unsafe poll(&descriptors, 2, -1)
            if isStopped, descriptors[0].revents != 0 { return }
            if descriptors[0].revents != 0 {
                let count = unsafe recv(client, &bytes, bytes.count, 0)
                if count <= 0 { return }
                let (allowed, end) = allow(count, on: number)
                if allowed > 0 { _ = unsafe send(server, bytes, allowed, Int32(MSG_NOSIGNAL)) }
                if end == .cut { return }
                isStopped = end == .stopped
            }
            if descriptors[1].revents != 0 {
                let count = unsafe recv(server, &bytes, bytes.count, 0)
                if count <= 0 || losesAnswer(on: number) { return }
                let read = readable(count, on: number)
                _ = unsafe send(client, bytes, read ?? count, Int32(MSG_NOSIGNAL))
                if let read {
                    answers.wait()
                    _ = unsafe send(client, Array(bytes[read..<count]), count - read, Int32(MSG_NOSIGNAL))
                }
            }
        }
    }

    private enum End {
        case none, cut, stopped
    }

    /// The event of `poll` for the end of the peer, which Glibc declares only for its own extensions.
    private static let hangUp: Int32 = 0x2000

    /// Returns the number of bytes, at most `count`, that reach the server, and the fault after them.
    private func allow(_ count: Int, on number: Int) -> (Int, End) {
        state.withLock { state in
            if state.armed ?? number != number { return (count, .none) }
            switch state.fault {
            case .cut(let rest) where rest > count: state.fault = .cut(afterSent: rest - count)
            case .stop(let rest) where rest > count: state.fault = .stop(afterSent: rest - count)
            case .cut(let rest):
                noteFault(&state)
                return (rest, .cut)
            case .stop(let rest):
                noteFault(&state)
                return (rest, .stopped)
            case .loseAnswer, .stopAnswers, nil: break
            }
            return (count, .none)
        }
    }

    /// Returns the number of bytes, at most `count`, that the client reads before it stops; `nil` if it reads on.
    private func readable(_ count: Int, on number: Int) -> Int? {
        state.withLock { state in
            guard state.armed ?? number == number, case .stopAnswers(let rest) = state.fault else { return nil }
            if rest > count {
                state.fault = .stopAnswers(after: rest - count)
                return nil
            }
            noteFault(&state)
            return rest
        }
    }

    private func losesAnswer(on number: Int) -> Bool {
        state.withLock { state in
            guard state.armed ?? number == number, case .loseAnswer = state.fault else { return false }
            noteFault(&state)
            return true
        }
    }
}
#endif
