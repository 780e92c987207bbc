// SPDX-License-Identifier: Apache-2.0

#if Postgres
import Foundation
import Synchronization

/// The thread that performs all connections of a store: it waits for their sockets, and for requests of tasks.
///
/// Unsafe code: `poll`, `read`, and `write` take pointers to local variables, which outlive the calls. A connection comes
/// from the task that has made it, which doesn't keep it, and after that only this thread uses it. So its handover is
/// safe, although the type isn't Sendable.
final class PollingThread: Sendable {
    /// The number of a connection of the thread.
    typealias Number = Int

    private enum Job: Sendable {
        case adopt(Number, Handover)
        case start(Number, PostgresRequest)
        case close(Number)
    }

    /// A connection on its way to the thread.
    ///
    /// ``adopt(_:)`` takes it as `sending`, so no other code has it, and only the thread reads it afterwards. That makes it
    /// safe, although the connection isn't Sendable.
    private struct Handover: @unchecked Sendable {
        let connection: PolledConnection
    }

    private struct Inbox {
        var jobs: [Job] = []
        var count = 0
        var isStopped = false
    }

    private let inbox = Mutex(Inbox())
    private let reading: Int32
    private let writing: Int32

    /// Starts the thread.
    ///
    /// - Throws: ``PostgresFailure`` if the process has no file descriptor left.
    init() throws {
        var ends: [Int32] = [0, 0]
        guard unsafe pipe(&ends) == 0 else {
            throw PostgresFailure.unreachable("the process has no file descriptor left")
        }
        reading = ends[0]
        writing = ends[1]
        for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        let thread = Thread { [self] in run() }
        thread.name = "headrace.postgres"
        thread.start()
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Takes over a connection.
    func adopt(_ connection: sending PolledConnection) -> Number {
        let handover = Handover(connection: connection)
        let number = inbox.withLock { inbox in
            inbox.count += 1
            inbox.jobs.append(.adopt(inbox.count, handover))
            return inbox.count
        }
        wake()
        return number
    }

    /// Sends `request` on the connection `number`.
    func start(_ request: PostgresRequest, on number: Number) {
        let isStopped = inbox.withLock { inbox in
            if !inbox.isStopped { inbox.jobs.append(.start(number, request)) }
            return inbox.isStopped
        }
        if isStopped {
            request.completion(.failure(.closed))
        } else {
            wake()
        }
    }

    /// Closes the connection `number`; its requests fail.
    func end(_ number: Number) {
        inbox.withLock { $0.jobs.append(.close(number)) }
        wake()
    }

    /// Closes all connections and ends the thread.
    func stop() {
        inbox.withLock { $0.isStopped = true }
        wake()
    }

    private func wake() {
        // If the pipe is full, the thread is awake.
        var byte: UInt8 = 0
        _ = unsafe write(writing, &byte, 1)
    }

    // MARK: On the thread

    private func run() {
        var connections: [Number: PolledConnection] = [:]
        while true {
            let (jobs, isStopped) = inbox.withLock { inbox in
                defer { inbox.jobs.removeAll() }
                return (inbox.jobs, inbox.isStopped)
            }
            for job in jobs { perform(job, &connections) }
            if isStopped {
                for connection in connections.values { connection.finish(.closed) }
                return
            }
            wait(for: &connections)
        }
    }

    private func perform(_ job: Job, _ connections: inout [Number: PolledConnection]) {
        switch job {
        case .adopt(let number, let handover):
            connections[number] = handover.connection
        case .start(let number, let request):
            guard let connection = connections[number] else {
                return request.completion(.failure(.unreachable("the connection has ended")))
            }
            if !connection.start(request) {
                connections[number] = nil
                connection.finish()
            }
        case .close(let number):
            connections.removeValue(forKey: number)?.finish(.closed)
        }
    }

    /// Waits until a socket is ready, a request arrives, or an answer is late.
    private func wait(for connections: inout [Number: PolledConnection]) {
        var descriptors = [pollfd(fd: reading, events: Int16(POLLIN), revents: 0)]
        let numbers = Array(connections.keys)
        var deadline: ContinuousClock.Instant?
        for number in numbers {
            guard let connection = connections[number] else { continue }
            let events = connection.isFlushing ? POLLIN | POLLOUT : POLLIN
            descriptors.append(pollfd(fd: connection.socket, events: Int16(events), revents: 0))
            deadline = [deadline, connection.deadline].compactMap(\.self).min()
        }
        let wait = deadline.map { ContinuousClock.now.duration(to: $0) / .milliseconds(1) }
        let milliseconds = wait.map { Int32(min(max($0.rounded(.up), 0), 60_000)) } ?? -1
        _ = unsafe poll(&descriptors, nfds_t(descriptors.count), milliseconds)

        if descriptors[0].revents != 0 {
            var bytes = [UInt8](repeating: 0, count: 256)
            while unsafe read(reading, &bytes, bytes.count) == bytes.count {}
        }
        for (number, descriptor) in zip(numbers, descriptors.dropFirst()) {
            guard let connection = connections[number] else { continue }
            var isOpen = true
            if descriptor.revents & Int16(POLLOUT) != 0 { isOpen = connection.flush() }
            if isOpen, descriptor.revents & ~Int16(POLLOUT) != 0 { isOpen = connection.receive() && connection.flush() }
            if isOpen, let deadline = connection.deadline { isOpen = deadline > .now }
            if !isOpen {
                connections[number] = nil
                connection.finish()
            }
        }
    }
}
#endif
