// SPDX-License-Identifier: Apache-2.0

#if Simulations
import HeadraceCore
import HeadraceStorage
import Synchronization

/// A node, for the world that starts and ends it.
protocol SimulatedMachine: AnyObject, Sendable {
    var name: String { get }

    var isRunning: Bool { get }

    /// The owner of the jobs of the node; `nil` while it is down.
    var owner: JobOwner? { get }

    /// Whether messages between the node and the node with the name `other` are lost; `nil` is a client.
    func isCutOff(from other: String?) -> Bool

    /// Kills the node, and starts it again after `duration`.
    func end(for duration: Duration)

    /// Pauses the node.
    func hold(for duration: Duration)

    /// Cuts the node off from the store and from clients.
    func cutOff(for duration: Duration)

    /// Ends each fault of the node.
    func restore()

    /// Ends the tasks of the node after the run.
    func stop()
}

/// A process of a simulated application on one machine.
public final class SimulatedNode<Content: Sendable>: Sendable {
    /// The parts of a node that end with a kill.
    private struct Life: Sendable {
        let owner: JobOwner
        let store: SimulatedStore
        let values: SystemValues
        var content: Content?
        var tasks: [Task<Void, Never>] = []
    }

    private struct State {
        var life: Life?

        /// The store of the last life.
        var store: SimulatedStore?

        /// The tasks of earlier lives, which end after the run.
        var killedTasks: [Task<Void, Never>] = []
        var isStopped = false
        var lives = 0
        var isCutOff = false
        var unreachableNodes: Set<String> = []
        var waiters = WaiterQueue<Void, Void>()
    }

    /// The name of the node in reports.
    public let name: String

    private let world: SimulatedWorld
    private let make: @Sendable (SimulatedNode) async throws -> Content
    private let skew: Duration
    private let state = Mutex(State())

    init(name: String, world: SimulatedWorld, make: @escaping @Sendable (SimulatedNode) async throws -> Content) {
        self.name = name
        self.world = world
        self.make = make
        let largest = world.plan.faults.clockSkew
        skew = RandomStream(seed: world.seed, purpose: "clock of \(name)").duration(in: .zero - largest...largest)
    }

    // MARK: The content

    /// The store of the node.
    ///
    /// It can't be reached while the node is down, and the next start of the node opens another one.
    public var store: SimulatedStore {
        guard let store = state.withLock(\.store) else {
            preconditionFailure(
                "'\(name)' has never run. To fix, use the store in the closure that makes the node's content.")
        }
        return store
    }

    /// Runs `service` in a task of the node, until the node ends.
    ///
    /// An error of the service is a violation, unless the node ends.
    public func run(_ service: @escaping @Sendable () async throws -> Void) {
        guard let life = state.withLock(\.life) else { return }
        spawn(life) { [world, name] in
            do {
                try await service()
            } catch is CancellationError {
            } catch {
                world.fail("A service of '\(name)' has ended: \(error)")
            }
        }
    }

    /// Starts a task that belongs to `life`, with the values of the node.
    private func spawn(_ life: Life, _ body: @escaping @Sendable () async -> Void) {
        let task = world.scheduler.run(as: life.owner) {
            Task.detached { [world, name, values = life.values] in
                _ = try? await world.environment(name, values) { await body() }
            }
        }
        state.withLock { state in
            if state.life?.owner == life.owner { state.life?.tasks.append(task) }
            if state.isStopped { task.cancel() }
        }
    }

    // MARK: Life

    /// Whether the node has started, and has not been killed.
    public var isRunning: Bool { state.withLock { $0.life?.content != nil } }

    /// Starts the node, unless it runs.
    public func start() {
        let owner = world.makeOwner()
        let life = state.withLock { state -> Life? in
            if state.life != nil { return nil }
            state.lives += 1
            let stream = RandomStream(seed: world.seed, purpose: "values of \(name), life \(state.lives)")
            let store = SimulatedStore(world.server, owner: owner, name: name)
            store.setCutOff(state.isCutOff)
            let values = SystemValues.simulated(
                on: world.clock, skew: skew, stream: stream, report: { [weak world] in world?.fail($0) })
            let life = Life(owner: owner, store: store, values: values)
            state.life = life
            state.store = store
            return life
        }
        guard let life else { return }
        world.history.note(name, "starts")
        spawn(life) { await self.boot(owner) }
    }

    private func boot(_ owner: JobOwner) async {
        while true {
            do {
                let content = try await make(self)
                let woken = state.withLock { state -> [Resumption<Void>] in
                    if state.life?.owner != owner { return [] }
                    state.life?.content = content
                    return state.waiters.endAll(with: .success(()))
                }
                world.history.note(name, "runs")
                for waiter in woken { waiter.resume() }
                return
            } catch let error as any RetryableError where error.isRetryable {
                world.history.note(name, "could not start: \(error)")
                try? await world.clock.sleep(.seconds(1))
                if Task.isCancelled { return }
            } catch is CancellationError {
                return
            } catch {
                world.fail("'\(name)' could not start: \(error)")
                return
            }
        }
    }

    /// Returns when the node runs.
    func untilRunning() async throws {
        let waiter = state.withLock { $0.life?.content == nil ? $0.waiters.append() : nil }
        try await waiter?.value()
    }

    /// Ends the node at once: none of its code runs any more, as after SIGKILL.
    ///
    /// Its requests to the store go on. It stays down until ``start()``, or until the faults end.
    public func kill() {
        let life = state.withLock { state in
            defer { state.life = nil }
            state.killedTasks += state.life?.tasks ?? []
            return state.life
        }
        guard let life else { return }
        world.history.note(name, "is killed")
        world.scheduler.kill(life.owner)
        life.store.disconnect()
    }

    /// Lets none of the node's code run for `duration`, as after SIGSTOP, while the time goes on.
    public func pause(for duration: Duration) {
        guard let owner else { return }
        world.history.note(name, "is paused for \(duration.seconds)")
        world.scheduler.pause(owner)
        world.scheduler.at(world.scheduler.now + duration, for: .world) { [world, name] in
            world.scheduler.resume(owner)
            world.history.note(name, "goes on")
        }
    }

    /// Cuts the node off from the store and from clients for `duration`: messages in both directions are lost.
    public func partition(for duration: Duration) {
        world.history.note(name, "is cut off for \(duration.seconds)")
        setCutOff(true)
        world.scheduler.at(world.scheduler.now + duration, for: .world) { self.setCutOff(false) }
    }

    /// Cuts the node off from `other` alone for `duration`: requests between the two, and their answers, are lost.
    public func partition<Other>(from other: SimulatedNode<Other>, for duration: Duration) {
        world.history.note(name, "is cut off from \(other.name) for \(duration.seconds)")
        state.withLock { _ = $0.unreachableNodes.insert(other.name) }
        world.scheduler.at(world.scheduler.now + duration, for: .world) {
            self.state.withLock { _ = $0.unreachableNodes.remove(other.name) }
        }
    }

    private func setCutOff(_ isCutOff: Bool) {
        let store = state.withLock { state in
            state.isCutOff = isCutOff
            return state.life?.store
        }
        store?.setCutOff(isCutOff)
    }

    // MARK: Requests

    /// Sends a request to the node, which executes `body` with its content, and returns the answer.
    ///
    /// The test calls it as a client, and code of another node as that node. The request and the answer take time, and can be lost.
    /// The request can arrive twice.
    ///
    /// - Parameters:
    ///   - timeout: The time after which the caller gives up; the node isn't told.
    ///   - body: The work for the node.
    /// - Returns: The answer.
    /// - Throws: ``SimulationError`` with the code `refused` if the node doesn't run, or `timedOut` if no answer came; the errors
    ///   of `body`.
    public func request<Answer: Sendable>(
        timeout: Duration = .seconds(10),
        _ body: @escaping @Sendable (Content) async throws -> Answer
    ) async throws -> Answer {
        try Task.checkCancellation()
        let scheduler = world.scheduler
        let caller = scheduler.currentOwner
        let sender = world.machines.first { $0.owner == caller }
        let plan = world.plan
        let waiter = Waiter<Answer>()
        let isLost: @Sendable () -> Bool = {
            self.isCutOff(from: sender?.name) || sender?.isCutOff(from: self.name) == true
                || plan.happens(.lostMessage, plan.faults.messageLoss)
        }
        let answer: @Sendable (Result<Answer, any Error>) -> Void = { [world] result in
            if isLost() { return }
            scheduler.at(scheduler.now + world.messageDelay, for: caller) { waiter.end(with: result)?.resume() }
        }
        let timer = scheduler.at(scheduler.now + timeout, for: caller) { [name] in
            waiter.end(with: .failure(SimulationError.timedOut(name, after: timeout)))?.resume()
        }
        defer { scheduler.removeTimer(timer) }
        for _ in 0..<(plan.happens(.repetition, plan.faults.repetition) ? 2 : 1) {
            if isLost() { continue }
            scheduler.at(scheduler.now + world.messageDelay, for: .world) { self.receive(body, answer) }
        }
        return try await waiter.value()
    }

    private func receive<Answer: Sendable>(
        _ body: @escaping @Sendable (Content) async throws -> Answer,
        _ answer: @escaping @Sendable (Result<Answer, any Error>) -> Void
    ) {
        guard let life = state.withLock(\.life), let content = life.content else {
            return answer(.failure(SimulationError.refused(name)))
        }
        spawn(life) {
            do {
                answer(.success(try await body(content)))
            } catch {
                answer(.failure(error))
            }
        }
    }
}

extension SimulatedNode: SimulatedMachine {
    var owner: JobOwner? { state.withLock { $0.life?.owner } }

    func isCutOff(from other: String?) -> Bool {
        state.withLock { $0.isCutOff || other.map($0.unreachableNodes.contains) ?? false }
    }

    func end(for duration: Duration) {
        kill()
        world.scheduler.at(world.scheduler.now + duration, for: .world) { self.start() }
    }

    func hold(for duration: Duration) { pause(for: duration) }

    func cutOff(for duration: Duration) { partition(for: duration) }

    func restore() {
        setCutOff(false)
        state.withLock { $0.unreachableNodes = [] }
        if let owner { world.scheduler.resume(owner) }
        start()
    }

    func stop() {
        let (life, killedTasks) = state.withLock { state in
            state.isStopped = true
            return (state.life, state.killedTasks)
        }
        for task in killedTasks { task.cancel() }
        guard let life else { return }
        world.scheduler.resume(life.owner)
        world.scheduler.run(as: life.owner) { for task in life.tasks { task.cancel() } }
    }
}

extension SimulatedWorld {
    /// The delay of a message.
    fileprivate var messageDelay: Duration { plan.stream(of: .lostMessage).delay(mean: plan.faults.delay) }
}

extension SimulationError {
    fileprivate static func timedOut(_ node: String, after duration: Duration) -> SimulationError {
        SimulationError(
            .timedOut, "'\(node)' has not answered within \(duration.seconds); the request may have taken effect.")
    }

    fileprivate static func refused(_ node: String) -> SimulationError {
        SimulationError(
            .refused, "'\(node)' doesn't run. Nothing has taken effect. To fix, try another node, or later.")
    }
}
#endif
