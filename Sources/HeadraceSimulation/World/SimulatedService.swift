// SPDX-License-Identifier: Apache-2.0

#if Simulation
import HeadraceCore
import Synchronization

/// A service outside of the application, such as a mail server or a bank, which can be slow, fail, or not answer.
///
/// The double of a dependency calls it:
///
/// ```swift
/// struct SimulatedMailer: Mailer {
///     let service: SimulatedService
///
///     func send(_ mail: Mail) async throws {
///         try await service.perform("send", key: mail.id)
///     }
/// }
/// ```
public final class SimulatedService: Sendable {
    /// Something that the service has done.
    public struct Effect: Hashable, Sendable {
        /// The name of the operation.
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
    private let state = Mutex<[Effect]>([])

    init(name: String, world: SimulatedWorld) {
        self.name = name
        self.world = world
        stream = RandomStream(seed: world.seed, purpose: "service \(name)")
    }

    /// The effects so far, in their order.
    public var effects: [Effect] { state.withLock(\.self) }

    /// Lets the service do something.
    ///
    /// The call takes time. It can fail before its effect, or its answer can be lost after that.
    ///
    /// - Parameters:
    ///   - operation: The name of the operation.
    ///   - key: The idempotency key that the caller passes, if it does.
    ///   - effect: What the service does and answers; by default nothing.
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
            let result: Result<Answer, any Error>
            do {
                result = .success(try effect())
                state.withLock { $0.append(Effect(operation: operation, key: key, step: scheduler.stepCount)) }
                world.history.note(name, operation + (key.map { " '\($0)'" } ?? "") + cause)
            } catch {
                result = .failure(error)
            }
            answer(fails ? .seconds(10) : delay, fails ? .failure(SimulationError.noAnswer(name)) : result)
        }
        return try await waiter.value()
    }

    private var delay: Duration { stream.delay(mean: world.plan.faults.delay * 10) }
}

extension SimulatedWorld {
    /// Returns a service outside of the application with the name `name`.
    public func service(_ name: String) -> SimulatedService {
        SimulatedService(name: name, world: self)
    }

    /// Checks now that `service` has had at most one effect for each key.
    public func expectOnce(_ service: SimulatedService) {
        let counts = Dictionary(grouping: service.effects.filter { $0.key != nil }) { $0.key ?? "" }
        for (key, effects) in counts.sorted(by: { $0.key < $1.key }) where effects.count > 1 {
            let steps = effects.map { "step \($0.step)" }.joined(separator: ", ")
            fail("'\(service.name)' has done '\(effects[0].operation)' \(effects.count) times for the key '\(key)': \(steps).")
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
