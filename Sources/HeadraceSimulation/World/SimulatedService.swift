// SPDX-License-Identifier: Apache-2.0

#if Simulations
import HeadraceCore
import Synchronization

/// A service outside of the application, such as a mail server or a bank, which can be slow, fail, or not answer.
///
/// It honours idempotency keys: a call with a key that has had an effect answers as the first call, and has no other effect.
///
/// The double of a dependency calls it:
///
/// ```swift
/// struct SimulatedMailer: Mailer {
///     let service: SimulatedService
///
///     func send(_ text: String, key: String) async throws {
///         try await service.perform("send \(text)", key: key)
///     }
/// }
/// ```
public final class SimulatedService: Sendable {
    /// Something that the service has done.
    public struct Effect: Hashable, Sendable {
        /// The operation with its subject.
        public let operation: String

        /// The idempotency key of the call, if it had one.
        public let key: String?

        /// The step in which it happened.
        public let step: Int
    }

    /// The name of the service in reports.
    public let name: String

    private let world: SimulatedWorld
    private let stream: RandomStream
    private struct State {
        var effects: [Effect] = []
        var answers: [String: any Sendable] = [:]
    }

    private let state = Mutex(State())

    init(name: String, world: SimulatedWorld) {
        self.name = name
        self.world = world
        stream = RandomStream(seed: world.seed, purpose: "service \(name)")
    }

    /// The effects so far, in their order.
    public var effects: [Effect] { state.withLock(\.effects) }

    /// Lets the service do something.
    ///
    /// The call takes time. It can fail before its effect, or its answer can be lost after that.
    ///
    /// - Parameters:
    ///   - operation: The operation with its subject: "charge order 7".
    ///   - key: The idempotency key of the call, if it has one.
    ///   - effect: The effect of the operation, and its answer; by default none.
    /// - Returns: The answer.
    /// - Throws: ``SimulationError`` with the code `unavailable` if nothing has taken effect, or `timedOut` if it is unknown; the
    ///   errors of `effect`.
    public func perform<Answer: Sendable>(
        _ operation: String,
        key: String? = nil,
        _ effect: @escaping @Sendable () throws -> Answer = {}
    ) async throws -> Answer {
        try Task.checkCancellation()
        let scheduler = world.scheduler
        let caller = scheduler.currentOwner
        let waiter = Waiter<Answer>()
        let plan = world.plan
        let answer: @Sendable (Duration, Result<Answer, any Error>) -> Void = { delay, result in
            scheduler.at(scheduler.now + delay, for: caller) { waiter.end(with: result)?.resume() }
        }
        let cause = SimulationHistory.currentCause
        scheduler.at(scheduler.now + delay, for: .world) { [self] in
            let fails = plan.happens(.serviceFailure, plan.faults.serviceFailure)
            if fails, stream.happens(0.5) { return answer(delay, .failure(SimulationError.unavailable(name))) }
            let result = Result { try self.answer(operation, key, cause, effect) }
            answer(fails ? .seconds(10) : delay, fails ? .failure(SimulationError.noAnswer(name)) : result)
        }
        return try await waiter.value()
    }

    /// Returns the answer of the first call with this key, or of the effect, which happens now.
    private func answer<Answer: Sendable>(
        _ operation: String, _ key: String?, _ cause: String, _ effect: () throws -> Answer
    ) throws -> Answer {
        if let key, let first = state.withLock({ $0.answers[key] }) as? Answer { return first }
        let answer = try effect()
        state.withLock { state in
            state.effects.append(Effect(operation: operation, key: key, step: world.scheduler.stepCount))
            if let key { state.answers[key] = answer }
        }
        world.history.note(name, operation + (key.map { " '\($0)'" } ?? "") + cause)
        return answer
    }

    private var delay: Duration { stream.delay(mean: world.plan.faults.delay * 10) }
}

extension SimulatedWorld {
    /// Returns a service outside of the application with the name `name`.
    public func service(_ name: String) -> SimulatedService {
        SimulatedService(name: name, world: self)
    }

    /// Checks now that `service` has done each operation at most once.
    public func expectOnce(_ service: SimulatedService) {
        for (operation, effects) in Dictionary(grouping: service.effects, by: \.operation).sorted(by: {
            $0.key < $1.key
        })
        where effects.count > 1 {
            let steps = effects.map { "step \($0.step)" }.joined(separator: ", ")
            fail("'\(service.name)' has done '\(operation)' \(effects.count) times: \(steps).")
        }
    }
}

extension SimulationError {
    fileprivate static func unavailable(_ service: String) -> SimulationError {
        SimulationError(.unavailable, "'\(service)' is not available. Nothing has taken effect. To fix, try again.")
    }

    fileprivate static func noAnswer(_ service: String) -> SimulationError {
        SimulationError(.timedOut, "'\(service)' has not answered in time; the call may have taken effect.")
    }
}
#endif
