// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Ensures that each shared object is created once, and finds deadlocks between threads that create objects.
///
/// Suppose thread A creates a singleton that needs an object which thread B is creating: A waits. If B then needs A's
/// singleton, both would wait forever. So each thread records the object that it waits for before it waits, and the
/// thread that would close the circle reports the cycle instead.
///
/// Waiting blocks a thread. Factories are synchronous and short, and a shared object is created once.
///
/// All containers share one gate. The factories of one container may resolve from another, so a deadlock can involve both.
final class CreationGate: Sendable {
    static let shared = CreationGate()

    private let state = Mutex(CreationState())

    /// Returns the object that `existing` finds.
    ///
    /// Otherwise creates it, once for all threads that ask at the same time.
    func makeOnce(_ key: CreationKey, existing: () -> SharedInstance?, make: () -> SharedInstance) -> SharedInstance {
        let thread = ResolutionPath.currentThread
        while true {
            // A thread stores its object before it leaves, so an object that is missing after entering doesn't exist.
            switch state.withLock({ $0.enter(key, thread: thread, path: ResolutionPath.contracts) }) {
            case .make:
                defer { state.withLock { $0.leave(key) }.forEach { $0.signal() } }
                return existing() ?? make()
            case .wait(let semaphore):
                semaphore.wait()
                if let instance = existing() { return instance }
            case .cycle(let contracts):
                ResolutionFailure.cycle(contracts).stop()
            }
        }
    }
}
