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
///
/// There is one for all containers, as the factories of one may resolve from another, and threads wait in a
/// circle across both.
final class CreationGate: Sendable {
    static let shared = CreationGate()

    /// The object to make: a binding's, in one scope or (without scope) in the container.
    struct Key: Equatable {
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
    }

    private let state = Mutex(CreationState())

    /// Gives what `existing` finds, and otherwise makes it, once however many threads ask.
    func makeOnce(_ key: Key, existing: () -> SharedInstance?, make: () -> SharedInstance) -> SharedInstance {
        let thread = ResolutionPath.currentThread
        while true {
            // Whoever finishes stores the object before it leaves, so a look after entering is final.
            switch state.withLock({ $0.enter(key, thread: thread, path: ResolutionPath.contracts) }) {
            case .make:
                defer { state.withLock { $0.leave(key) }.forEach { $0.signal() } }
                return existing() ?? make()
            case .wait(let turn):
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
        case wait(DispatchSemaphore)

        /// The caller would wait for itself, by way of these types: the last is the first again.
        case cycle([Any.Type])
    }

    private struct Making {
        let key: Key
        let thread: Thread
        var turns: [(thread: Thread, turn: DispatchSemaphore)] = []
    }

    private struct Waiting {
        let key: Key
        let path: [Any.Type]
    }

    /// What is being made: a few at a time, so that looking through them is faster than hashing.
    private var makings: [Making] = []

    private var waitings: [Thread: Waiting] = [:]

    /// Asks for `key` on `thread`, which is making the types of `path`, outermost first.
    mutating func enter(_ key: Key, thread: Thread, path: @autoclosure () -> [Any.Type]) -> Entry {
        guard let index = index(of: key) else {
            makings.append(Making(key: key, thread: thread))
            return .make
        }

        // From holder to holder, each of which waits for the next, until one waits for nothing or it
        // is the caller who would wait for itself.
        let path = path()
        var holder = makings[index].thread
        var wanted = key
        var cycle: [Any.Type] = []
        while holder != thread, let waiting = waitings[holder], let next = self.index(of: waiting.key) {
            cycle += Self.part(of: waiting.path, from: wanted)
            wanted = waiting.key
            holder = makings[next].thread
        }
        if holder == thread {
            return .cycle(Self.part(of: path, from: wanted) + cycle + [wanted.contract])
        }

        let turn = DispatchSemaphore(value: 0)
        makings[index].turns.append((thread, turn))
        waitings[thread] = Waiting(key: key, path: path)
        return .wait(turn)
    }

    /// Ends the making of `key` and gives the turns of those who wait for it.
    mutating func leave(_ key: Key) -> [DispatchSemaphore] {
        guard let index = index(of: key) else { return [] }
        let turns = makings.remove(at: index).turns
        for waiter in turns {
            waitings[waiter.thread] = nil
        }
        return turns.map(\.turn)
    }

    /// The place of `key` among what is being made; the latest is the likeliest.
    private func index(of key: Key) -> Int? {
        makings.lastIndex { $0.key == key }
    }

    /// What a thread makes from `key`, which it holds, to what it wants next.
    private static func part(of path: [Any.Type], from key: Key) -> ArraySlice<Any.Type> {
        path[(path.lastIndex { $0 == key.contract } ?? path.endIndex)...]
    }
}
