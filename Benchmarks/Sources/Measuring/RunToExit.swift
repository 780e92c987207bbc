// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// Runs `body` in a detached task, and ends the process with the returned status, or with a failure if `body` throws.
///
/// Call it from a synchronous `main`. An asynchronous `main` is isolated to the main actor, and so the measured code
/// would be too.
///
/// - Parameters:
///   - servesMainActor: Whether the main actor runs its jobs, such as the creation of a cluster of services.
///   - body: The closure to run. It returns the exit status of the process.
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
    // 'dispatchMain' would end the main thread, and valgrind does not survive that.
    while true { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
}
