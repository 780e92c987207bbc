// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import UnixSignals

/// Cancels the work on SIGINT (Control-C) and SIGTERM.
enum Interruption {
    private enum Event<Value: Sendable>: Sendable {
        case signal(UnixSignal)
        case end(Result<Value, any Error>)
        case noSignal
    }

    /// Runs `body`.
    ///
    /// The first signal cancels it, and the second signal ends the process.
    ///
    /// - Throws: `ExitCode` 128 plus the number of the signal if `body` fails after a signal; otherwise the error of
    ///   `body`.
    static func cancelling<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await cancelling(by: await UnixSignalsSequence(trapping: .sigint, .sigterm), body)
    }

    /// Runs `body` as ``cancelling(_:)`` does, until one of `signals` arrives.
    static func cancelling<Value: Sendable, Signals: AsyncSequence & Sendable>(
        by signals: Signals,
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value where Signals.Element == UnixSignal {
        try await withThrowingTaskGroup(of: Event<Value>.self) { group in
            group.addTask {
                do {
                    return .end(.success(try await body()))
                } catch {
                    return .end(.failure(error))
                }
            }
            group.addTask {
                for try await signal in signals { return .signal(signal) }
                return .noSignal
            }
            defer { group.cancelAll() }
            var received: UnixSignal?
            while let event = try await group.next() {
                switch event {
                case .signal(let signal):
                    received = signal
                    restoreDefault(of: signal)
                    group.cancelAll()
                case .end(.failure) where received != nil:
                    FileHandle.standardError.write(Data("Interrupted. The current command has stored nothing.\n".utf8))
                    throw ExitCode(128 + (received?.rawValue ?? 0))
                case .end(let result):
                    return try result.get()
                case .noSignal:
                    break
                }
            }
            throw CancellationError()
        }
    }

    /// Restores the default action, so that the next signal ends the process.
    private static func restoreDefault(of number: UnixSignal) {
        _ = signal(number.rawValue, SIG_DFL)
    }
}
