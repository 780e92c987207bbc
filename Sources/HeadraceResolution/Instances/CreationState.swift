// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// The shared objects that threads are creating, and the threads that wait for them.
///
/// A pure state machine.
struct CreationState {
    typealias Thread = UInt

    enum Admission {
        /// The caller creates the object and then leaves.
        case make

        /// Another thread creates the object. Wait for the semaphore, then look for the object again.
        case wait(DispatchSemaphore)

        /// The caller would wait for itself, through these types. The last one is the first one again.
        case cycle([Any.Type])
    }

    private struct Creation {
        let key: CreationKey
        let thread: Thread
        var waiters: [(thread: Thread, semaphore: DispatchSemaphore)] = []
    }

    private struct BlockedThread {
        let key: CreationKey
        let path: [Any.Type]
    }

    /// The current creations.
    ///
    /// They are few, so a linear search is faster than hashing.
    private var creations: [Creation] = []

    private var blocked: [Thread: BlockedThread] = [:]

    /// Asks for `key` on `thread`, which is creating the types of `path`, outermost first.
    mutating func enter(_ key: CreationKey, thread: Thread, path: @autoclosure () -> [Any.Type]) -> Admission {
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
    mutating func leave(_ key: CreationKey) -> [DispatchSemaphore] {
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
    private func index(of key: CreationKey) -> Int? {
        creations.lastIndex { $0.key == key }
    }

    /// The part of a thread's path from `key`, which the thread is creating, to the type that it needs next.
    private static func part(of path: [Any.Type], from key: CreationKey) -> ArraySlice<Any.Type> {
        path[(path.lastIndex { $0 == key.contract } ?? path.endIndex)...]
    }
}
