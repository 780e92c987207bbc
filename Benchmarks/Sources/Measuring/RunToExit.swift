//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Dispatch
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// Runs `body` in a detached task, and ends the process with what it returns, or as a failure if it throws.
///
/// Call it from a synchronous `main`: an asynchronous one is isolated to the main actor, and so would be
/// everything that is measured.
///
/// - Parameters:
///   - servesMainActor: Whether the main actor does what it is given, such as making a cluster of services.
///   - body: What is run; its value is the status of the process.
public func runToExit(servesMainActor: Bool = false, _ body: @escaping @Sendable () async throws -> Int32) -> Never {
    Task.detached {
        do {
            exit(try await body())
        } catch {
            print("error: \(error)")
            exit(EXIT_FAILURE)
        }
    }
    if servesMainActor { serveMainActor() }
    DispatchSemaphore(value: 0).wait()
    exit(EXIT_FAILURE)
}

/// Runs `body` on the main actor, and ends the process as ``runToExit(_:)`` does.
public func runOnMainActorToExit(_ body: @escaping @MainActor () async throws -> Int32) -> Never {
    Task { @MainActor in
        do {
            exit(try await body())
        } catch {
            print("error: \(error)")
            exit(EXIT_FAILURE)
        }
    }
    serveMainActor()
}

private func serveMainActor() -> Never {
    // Not 'dispatchMain', which ends the main thread: valgrind does not survive that.
    while true { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
}
