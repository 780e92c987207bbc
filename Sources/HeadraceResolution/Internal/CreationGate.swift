//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Dispatch
import Synchronization

/// Lets each shared object be made once, and finds cycles that several threads close together.
///
/// Thread A makes a singleton that needs one which thread B is making: A waits. If B then needs what A
/// is making, both would wait for ever. So each thread states what it waits for before it waits, and
/// the one that would close the circle reports it instead.
///
/// Waiting blocks a thread. Factories are synchronous and short, and a shared object is made once.
final class CreationGate: Sendable {
    /// The object to make: a binding's, in one scope or (without scope) in the container.
    struct Key: Hashable {
        private let binding: ObjectIdentifier
        private let scope: ObjectIdentifier?
        let contract: Any.Type

        init(binding: Binding, scope: ResolutionScope?) {
            self.binding = ObjectIdentifier(binding)
            self.scope = scope.map { ObjectIdentifier($0) }
            contract = binding.contract
        }

        static func == (one: Key, other: Key) -> Bool {
            one.binding == other.binding && one.scope == other.scope
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(binding)
            hasher.combine(scope)
        }
    }

    private let state = Mutex(CreationState())

    /// Gives what `existing` finds, and otherwise makes it, once however many threads ask.
    func makeOnce<Instance>(_ key: Key, existing: () -> Instance?, make: () -> Instance) -> Instance {
        let thread = ResolutionPath.currentThread
        let turn = DispatchSemaphore(value: 0)
        while true {
            // Whoever finishes stores the object before it leaves, so a look after entering is final.
            switch state.withLock({ $0.enter(key, thread: thread, turn: turn) }) {
            case .make:
                defer { state.withLock { $0.leave(key) }.forEach { $0.signal() } }
                return existing() ?? make()
            case .wait:
                turn.wait()
                if let instance = existing() { return instance }
            case .cycle(let contracts):
                ResolutionFailure.cycle(contracts).stop()
            }
        }
    }
}

/// Who makes what, and who waits for it; decides, and performs nothing itself.
struct CreationState {
    typealias Thread = UInt
    typealias Key = CreationGate.Key

    enum Entry {
        /// The caller makes the object and then leaves.
        case make

        /// Another thread makes it: wait for the turn, look again.
        case wait

        /// The caller would wait for itself, by way of these types.
        case cycle([Any.Type])
    }

    private struct Making {
        let thread: Thread
        var waiting: [(thread: Thread, turn: DispatchSemaphore)] = []
    }

    private var makings: [Key: Making] = [:]
    private var awaited: [Thread: Key] = [:]

    mutating func enter(_ key: Key, thread: Thread, turn: DispatchSemaphore) -> Entry {
        guard let owner = makings[key]?.thread else {
            makings[key] = Making(thread: thread)
            return .make
        }

        var path = [key.contract]
        var holder = owner
        while holder != thread, let next = awaited[holder], let making = makings[next] {
            path.append(next.contract)
            holder = making.thread
        }
        if holder == thread {
            return .cycle([path[path.count - 1]] + path)
        }

        makings[key]?.waiting.append((thread, turn))
        awaited[thread] = key
        return .wait
    }

    /// Ends the making of `key` and gives the turns of those who wait for it.
    mutating func leave(_ key: Key) -> [DispatchSemaphore] {
        let waiting = makings.removeValue(forKey: key)?.waiting ?? []
        for waiter in waiting {
            awaited[waiter.thread] = nil
        }
        return waiting.map(\.turn)
    }
}
