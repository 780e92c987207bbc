// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HeadraceCore
import Synchronization

/// The shared objects that threads are creating, and the threads that wait for them.
///
/// It ensures that each shared object is created once, and finds deadlocks between threads that create objects.
///
/// Suppose thread A creates a singleton that needs an object which thread B is creating: A waits. If B then needs A's
/// singleton, both would wait forever. So each thread records the object that it waits for before it waits, and the
/// thread that would close the circle reports the cycle instead. There is no lock that a thread holds while a factory runs,
/// so a factory may wait for another thread, and a slow factory delays only the callers that need its object.
///
/// Waiting blocks a thread. Factories are synchronous and short, and a shared object is created once.
struct CreationState {
    typealias Thread = UInt

    /// The identity of a shared object that doesn't exist yet: its binding, and its scope unless all scopes share it.
    struct Key: Equatable {
        private let binding: ObjectIdentifier
        private let scope: ObjectIdentifier?

        /// The type that is resolved.
        let contract: Any.Type

        init(_ binding: any AnyBinding, in scope: ResolutionScope?) {
            self.binding = ObjectIdentifier(binding)
            self.scope = scope.map { ObjectIdentifier($0) }
            contract = binding.contract
        }

        static func == (one: Key, other: Key) -> Bool {
            one.binding == other.binding && one.scope == other.scope
        }
    }

    enum Admission {
        /// The caller creates the object and then leaves.
        case make

        /// Another thread creates the object. Wait for the semaphore, then look for the object again.
        case wait(DispatchSemaphore)

        /// The caller would wait for itself, through these types. The last one is the first one again.
        case cycle([Any.Type])
    }

    private struct Creation {
        let key: Key
        let thread: Thread
        var waiters: [(thread: Thread, semaphore: DispatchSemaphore)] = []
    }

    private struct BlockedThread {
        let key: Key
        let path: [Any.Type]
    }

    /// The current creations.
    ///
    /// They are few, so a linear search is faster than hashing.
    private var creations: [Creation] = []

    private var blocked: [Thread: BlockedThread] = [:]

    /// The creations of all containers: the factories of one container may resolve from another, so a deadlock can involve
    /// both.
    private static let shared = Mutex(CreationState())

    /// Returns the object that `existing` finds.
    ///
    /// Otherwise creates it, once for all threads that ask at the same time.
    static func makeOnce(_ key: Key, existing: () -> Instance?, make: () -> Instance) -> Instance {
        let thread = ThreadIdentity.current
        while true {
            // A thread stores its object before it leaves, so an object that is missing after entering doesn't exist.
            switch shared.withLock({ $0.enter(key, thread: thread, path: ResolutionPath.contracts) }) {
            case .make:
                defer { shared.withLock { $0.leave(key) }.forEach { $0.signal() } }
                return existing() ?? make()
            case .wait(let semaphore):
                semaphore.wait()
                if let instance = existing() { return instance }
            case .cycle(let contracts):
                ResolutionFailure.cycle(contracts).stop()
            }
        }
    }

    /// Asks for `key` on `thread`, which is creating the types of `path`, outermost first.
    mutating func enter(_ key: Key, thread: Thread, path: @autoclosure () -> [Any.Type]) -> Admission {
        guard let index = index(of: key) else {
            creations.append(Creation(key: key, thread: thread))
            return .make
        }

        // Follow the chain of threads, each of which waits for the next one. It ends at a thread that waits for nothing,
        // or at the caller, which would wait for itself.
        let path = path()
        var holder = creations[index].thread
        var wanted = key
        var cycle: [Any.Type] = []
        while holder != thread, let waiting = blocked[holder], let next = self.index(of: waiting.key) {
            cycle += Self.part(of: waiting.path, from: wanted)
            wanted = waiting.key
            holder = creations[next].thread
        }
        if holder == thread {
            return .cycle(Self.part(of: path, from: wanted) + cycle + [wanted.contract])
        }

        let semaphore = DispatchSemaphore(value: 0)
        creations[index].waiters.append((thread, semaphore))
        blocked[thread] = BlockedThread(key: key, path: path)
        return .wait(semaphore)
    }

    /// Ends the creation of `key`, and returns the semaphores of the threads that wait for it.
    mutating func leave(_ key: Key) -> [DispatchSemaphore] {
        guard let index = index(of: key) else { return [] }
        let waiters = creations.remove(at: index).waiters
        for waiter in waiters {
            blocked[waiter.thread] = nil
        }
        return waiters.map(\.semaphore)
    }

    /// The index of the creation of `key`.
    ///
    /// The search begins with the latest creation, which is the likeliest.
    private func index(of key: Key) -> Int? {
        creations.lastIndex { $0.key == key }
    }

    /// The part of a thread's path from `key`, which the thread is creating, to the type that it needs next.
    private static func part(of path: [Any.Type], from key: Key) -> ArraySlice<Any.Type> {
        path[(path.lastIndex { $0 == key.contract } ?? path.endIndex)...]
    }
}
