// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HeadraceResolution

/// The state machine alone: which thread creates, which waits, and which would wait for itself.
@Suite struct CreationStateTests {
    private let alpha = SharedObject(Alpha.self)
    private let beta = SharedObject(Beta.self)
    private let gamma = SharedObject(Gamma.self)

    @Test func theFirstThreadCreatesTheObject() {
        var state = CreationState()

        #expect(state.enter(alpha, thread: 1) == .make)
    }

    @Test func threadsThatAskDuringTheCreationWait() {
        var state = CreationState()
        _ = state.enter(alpha, thread: 1)

        #expect(state.enter(alpha, thread: 2) == .wait)
        #expect(state.enter(alpha, thread: 3) == .wait)
    }

    @Test func differentObjectsAreCreatedAtTheSameTime() {
        var state = CreationState()

        #expect(state.enter(alpha, thread: 1) == .make)
        #expect(state.enter(beta, thread: 2) == .make)
        #expect(state.enter(beta.inAnotherScope, thread: 3) == .make)
    }

    @Test func leavingWakesExactlyTheThreadsThatWait() {
        var state = CreationState()
        _ = state.enter(alpha, thread: 1)
        _ = state.enter(beta, thread: 2)
        _ = state.enter(alpha, thread: 3)
        _ = state.enter(alpha, thread: 4)
        _ = state.enter(beta, thread: 5)

        #expect(state.leave(alpha.key).count == 2)
        #expect(state.leave(beta.key).count == 1)
    }

    @Test func leavingWithoutWaitersWakesNoThread() {
        var state = CreationState()
        _ = state.enter(alpha, thread: 1)

        #expect(state.leave(alpha.key).isEmpty)
    }

    @Test func afterLeavingTheNextThreadCreatesTheObjectAgain() {
        var state = CreationState()
        _ = state.enter(alpha, thread: 1)
        _ = state.leave(alpha.key)

        #expect(state.enter(alpha, thread: 2) == .make)
    }

    @Test func aWokenThreadNoLongerWaits() {
        var state = CreationState()
        _ = state.enter(alpha, thread: 1)
        _ = state.enter(beta, thread: 2)
        _ = state.enter(alpha, thread: 2, path: [beta])
        _ = state.leave(alpha.key)

        // Thread 2 is still creating beta, but doesn't wait for thread 1, so this isn't a cycle.
        _ = state.enter(alpha, thread: 1)
        #expect(state.enter(beta, thread: 1, path: [alpha]) == .wait)
    }

    @Test func askingForAnObjectOnTheOwnPathIsACycle() {
        var state = CreationState()
        _ = state.enter(alpha, thread: 1)

        let entry = state.enter(alpha, thread: 1, path: [gamma, alpha, beta])

        #expect(entry == .cycle([Alpha.self, Beta.self, Alpha.self]))
    }

    @Test func twoThreadsThatWaitForEachOtherAreACycle() {
        var state = CreationState()
        _ = state.enter(alpha, thread: 1)
        _ = state.enter(beta, thread: 2)
        _ = state.enter(beta, thread: 1, path: [alpha])

        let entry = state.enter(alpha, thread: 2, path: [beta])

        #expect(entry == .cycle([Beta.self, Alpha.self, Beta.self]))
    }

    @Test func threeThreadsThatWaitInARingAreACycleThroughAllTheirObjects() {
        var state = CreationState()
        _ = state.enter(alpha, thread: 1)
        _ = state.enter(beta, thread: 2)
        _ = state.enter(gamma, thread: 3)
        _ = state.enter(beta, thread: 1, path: [alpha, SharedObject(Int.self)])
        _ = state.enter(gamma, thread: 2, path: [SharedObject(Bool.self), beta])

        let entry = state.enter(alpha, thread: 3, path: [gamma, SharedObject(String.self)])

        #expect(entry == .cycle([Gamma.self, String.self, Alpha.self, Int.self, Beta.self, Gamma.self]))
    }

    @Test func aChainOfWaitingThreadsIsNotACycle() {
        var state = CreationState()
        _ = state.enter(alpha, thread: 1)
        _ = state.enter(beta, thread: 2)
        _ = state.enter(gamma, thread: 3)

        #expect(state.enter(alpha, thread: 2, path: [beta]) == .wait)
        #expect(state.enter(beta, thread: 3, path: [gamma]) == .wait)
        #expect(state.enter(gamma, thread: 4) == .wait)
    }

    /// Every interleaving of two threads, each of which creates one of two objects and needs the other object.
    @Test(arguments: [[1, 1, 2, 2], [1, 2, 1, 2], [1, 2, 2, 1], [2, 1, 1, 2], [2, 1, 2, 1], [2, 2, 1, 1]])
    func everyInterleavingEndsInOneCycleAndNoDeadlock(turns: [UInt]) {
        var state = CreationState()
        var steps: [UInt: Int] = [1: 0, 2: 0]
        var waiting = 0
        var cycles = 0

        for thread in turns {
            let (own, others) = thread == 1 ? (alpha, beta) : (beta, alpha)
            let isFirstStep = steps[thread] == 0
            steps[thread, default: 0] += 1
            let entry =
                isFirstStep ? state.enter(own, thread: thread) : state.enter(others, thread: thread, path: [own])
            switch entry {
            case .make where !isFirstStep:
                // The other thread hasn't begun: this thread creates both objects, and leaves both.
                _ = state.leave(others.key)
                _ = state.leave(own.key)
            case .make: break
            case .wait: waiting += 1
            case .cycle: cycles += 1
            }
        }

        let overlap = turns[0] != turns[1]
        #expect(cycles == (overlap ? 1 : 0))
        #expect(waiting == (overlap ? 1 : 0))
    }
}

// MARK: - Fixtures

/// An object to create, and the types of its path.
private struct SharedObject {
    let key: CreationState.Key
    let contract: Any.Type
    private let binding: any AnyBinding

    init<T: Sendable>(_ contract: T.Type) {
        let binding = Binding<T>(BindingDescription(contract: T.self, lifetime: .singleton)) { _ in
            fatalError("not made in these tests")
        }
        self.init(binding, contract, scope: nil)
    }

    private init(_ binding: any AnyBinding, _ contract: Any.Type, scope: ResolutionScope?) {
        self.binding = binding
        self.contract = contract
        key = CreationState.Key(binding, in: scope)
    }

    var inAnotherScope: SharedObject {
        SharedObject(binding, contract, scope: container { _ in }.scope() as? ResolutionScope)
    }
}

/// An admission that can be compared.
private enum ComparableAdmission: Equatable {
    case make
    case wait
    case cycle([ObjectIdentifier])

    static func cycle(_ contracts: [Any.Type]) -> ComparableAdmission {
        .cycle(contracts.map { ObjectIdentifier($0) })
    }
}

extension CreationState {
    fileprivate mutating func enter(_ product: SharedObject, thread: Thread, path: [SharedObject] = [])
        -> ComparableAdmission
    {
        switch enter(product.key, thread: thread, path: path.map(\.contract)) {
        case .make: .make
        case .wait: .wait
        case .cycle(let contracts): .cycle(contracts)
        }
    }
}
