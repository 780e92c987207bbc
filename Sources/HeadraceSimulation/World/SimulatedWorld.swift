// SPDX-License-Identifier: Apache-2.0

#if Simulations
public import HeadraceCore
package import HeadraceDomain
import HeadraceProjections
import HeadraceRelay
public import HeadraceResolution
public import HeadraceStorage
import IssueReporting
import Logging
import Synchronization

/// The world of a simulation: its nodes, its store, its time, and its faults.
///
/// <doc:SimulateYourApplication> has an example.
public final class SimulatedWorld: Sendable {
    /// The seed of this run.
    public let seed: UInt64

    /// The clock, which moves on when all code waits.
    public let clock: SimulatedClock

    /// The store, without delays and faults, for the test itself.
    ///
    /// Settle, cancel, and replay deliveries through the store of a node: the simulation watches those, and takes a delivery that
    /// disappears otherwise for a lost one.
    public let store: InMemoryStore

    let scheduler: Scheduler
    let server: SimulatedServer
    let plan: FaultPlan
    let history: SimulationHistory
    let values: SystemValues
    private let chance: RandomStream
    private let reports = ReportSink()
    private let clientLimit: Int

    private struct State {
        var machines: [any SimulatedMachine] = []
        var lastOwner = 0
        var violations: [Violation] = []
        var clientCount = 0
        var hasEnded = false
        var otherServer: SimulatedServer?

        /// The projections of each node that has some, by its name.
        var projections: [String: Projections] = [:]
    }

    /// A check that has failed.
    struct Violation: Sendable {
        let text: String
        let step: Int
        let time: Duration
    }

    private let state = Mutex(State())

    init(seed: UInt64, scheduler: Scheduler, setup: SimulationSetup, reduction: SimulationReduction) throws {
        self.seed = seed
        self.scheduler = scheduler
        clientLimit = reduction.clients ?? .max
        clock = SimulatedClock(scheduler: scheduler)
        plan = FaultPlan(setup.faults, seed: seed, only: reduction.faults)
        history = SimulationHistory(scheduler, limit: 8)
        chance = RandomStream(seed: seed, purpose: "test")
        values = .simulated(
            on: clock, skew: .zero, stream: RandomStream(seed: seed, purpose: "values of the test"),
            report: reports.send)
        store = try InMemoryStore(entities: setup.entities)
        server = SimulatedServer(
            kind: setup.store,
            memory: store,
            scheduler: scheduler,
            plan: plan,
            history: history,
            seed: seed,
            watch: PromiseWatch(report: reports.send),
            report: reports.send
        )
        reports.connect { [weak self] in self?.fail($0) }
    }

    // MARK: Violations

    /// Ends the run with a violation.
    public func fail(_ text: String) {
        let violation = Violation(text: text, step: scheduler.stepCount, time: scheduler.now)
        state.withLock { $0.violations.append(violation) }
    }

    /// Ends the run with a violation unless `condition` is true.
    public func expect(_ condition: Bool, _ text: @autoclosure () -> String) {
        if !condition { fail(text()) }
    }

    /// Notes that the body of the simulation has returned.
    func end() {
        state.withLock { $0.hasEnded = true }
    }

    /// Forgets the nodes, the stores, and everything that has not run, so that the memory of the run is released.
    func release() {
        state.withLock { state in
            state.otherServer?.end()
            state.otherServer = nil
            state.machines = []
            state.projections = [:]
        }
        server.end()
        scheduler.removeAll()
    }

    var hasEnded: Bool { state.withLock(\.hasEnded) }

    /// The violations so far.
    var violations: [Violation] { state.withLock(\.violations) }

    // MARK: Nodes

    /// Starts `count` nodes, each with the content that `make` returns, and returns when all of them run.
    ///
    /// Each node has a clock, UUIDs, random numbers, and a store, which no other node uses. After a kill, it starts
    /// again after some seconds, with a new content.
    ///
    /// - Parameters:
    ///   - name: The name of the nodes in reports; they are numbered if there are several.
    ///   - count: The number of nodes.
    ///   - make: Makes the content of a node, such as its container. It may run tasks by ``SimulatedNode/run(_:)``.
    /// - Returns: The nodes.
    /// - Throws: `CancellationError` if the run ends before.
    public func start<Content: Sendable>(
        _ name: String,
        count: Int = 1,
        content make: @escaping @Sendable (SimulatedNode<Content>) async throws -> Content
    ) async throws -> [SimulatedNode<Content>] {
        let nodes = (1...max(1, count)).map { number in
            SimulatedNode(name: count > 1 ? "\(name) \(number)" : name, world: self, make: make)
        }
        state.withLock { $0.machines += nodes }
        for node in nodes { node.start() }
        for node in nodes { try await node.untilRunning() }
        return nodes
    }

    /// Returns one of `nodes` at random.
    public func any<Content>(of nodes: [SimulatedNode<Content>]) -> SimulatedNode<Content> {
        nodes[chance.number(in: 0...nodes.count - 1)]
    }

    /// Random numbers for the test; the seed determines them.
    public var randomNumbers: RandomNumbers { chance.numbers }

    /// Runs `count` clients at the same time, each with its number, counting from 1.
    ///
    /// - Throws: The first error of a client; the others are cancelled.
    public func clients(
        _ count: Int, _ body: @escaping @Sendable (_ number: Int) async throws -> Void
    ) async throws {
        state.withLock { $0.clientCount = max($0.clientCount, count) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...max(1, min(count, clientLimit)) { group.addTask { try await body(number) } }
            try await group.waitForAll()
        }
    }

    /// The largest number of clients that the body has asked for.
    var clientCount: Int { state.withLock(\.clientCount) }

    /// The projections of the nodes, in the order of the nodes' names.
    var projections: [Projections] {
        state.withLock { state in state.projections.sorted { $0.key < $1.key }.map(\.value) }
    }

    /// Lets the checks know the relay and the projections of `node`, if they work on its store.
    fileprivate func watch(_ node: SimulatedNode<Container>, _ relay: Relay?, _ projections: Projections?) {
        if let relay, relay.store.undecorated === node.store, let watch = node.store.beginWatching() {
            relay.add(WatchingRelayObserver(watch: watch, node: node.name))
        }
        if let projections, projections.store.undecorated === node.store {
            state.withLock { $0.projections[node.name] = projections }
        }
    }

    var machines: [any SimulatedMachine] { state.withLock(\.machines) }

    func makeOwner() -> JobOwner {
        state.withLock { state in
            state.lastOwner += 1
            return JobOwner(number: state.lastOwner)
        }
    }

    /// Opens a store on a second server, for the test of the contract; each later call returns another store on it.
    package func openStore(entities: [any StoredEntity.Type]) throws -> any DeliveryStore {
        let memory = try InMemoryStore(entities: entities)
        let other = state.withLock { state in
            let other =
                state.otherServer
                ?? SimulatedServer(
                    kind: server.kind, memory: memory, scheduler: scheduler, plan: plan, history: history, seed: seed,
                    watch: nil, report: reports.send)
            state.otherServer = other
            return other
        }
        return SimulatedStore(other, owner: .world, name: "contract")
    }

    // MARK: Faults

    /// Ends the faults, and brings back all nodes and connections.
    ///
    /// It happens by itself when the body of the simulation returns, and in ``eventually(_:within:_:)``.
    public func endFaults() {
        if !plan.isActive { return }
        plan.end()
        if server.isDown { server.recover() }
        for machine in machines { machine.restore() }
        history.note("world", "the faults end")
    }

    /// Crashes the server of the store; for a file, the machine loses its power, and its nodes end with it.
    public func crashStore(for duration: Duration = .seconds(2)) {
        history.note("store", server.kind == .server ? "crashes" : "loses its power")
        server.crash()
        if server.kind == .file { for machine in machines { machine.end(for: duration) } }
        scheduler.at(scheduler.now + duration, for: .world) { self.server.recover() }
    }

    /// Lets faults happen at random times from now on.
    func beginFaults() {
        let faults = plan.faults
        repeatFault(.kill, faults.killInterval) { machine, stream in
            machine.end(for: stream.duration(in: .milliseconds(100) ... .seconds(8)))
        }
        repeatFault(.pause, faults.pauseInterval) { machine, stream in
            machine.hold(for: stream.duration(in: .milliseconds(100) ... .seconds(15)))
        }
        repeatFault(.partition, faults.partitionInterval) { machine, stream in
            machine.cutOff(for: stream.duration(in: .milliseconds(100) ... .seconds(12)))
        }
        repeatFault(.storeCrash, faults.storeCrashInterval) { _, stream in
            self.crashStore(for: stream.duration(in: .milliseconds(100) ... .seconds(5)))
        }
    }

    private func repeatFault(
        _ kind: FaultPlan.Kind,
        _ interval: Duration?,
        _ body: @escaping @Sendable (any SimulatedMachine, RandomStream) -> Void
    ) {
        guard let interval else { return }
        let stream = plan.stream(of: kind)
        scheduler.at(scheduler.now + stream.duration(in: .zero...interval * 2), for: .world) { [weak self] in
            guard let self, self.plan.isActive else { return }
            let machines = self.machines.filter(\.isRunning)
            let index = stream.number(in: 0...max(0, machines.count - 1))
            if !machines.isEmpty, self.plan.occurs(kind) != nil { body(machines[index], stream) }
            self.repeatFault(kind, interval, body)
        }
    }
}

extension SimulatedWorld {
    /// Starts `count` nodes, each with the container of an application, its relay, and its projections.
    ///
    /// - Parameters:
    ///   - name: The name of the nodes in reports; they are numbered if there are several.
    ///   - count: The number of nodes.
    ///   - level: How strictly the container is validated. The default refuses a container whose dependencies aren't known.
    ///   - make: Makes the container of a node, with `node.store` as its store.
    /// - Returns: The nodes.
    /// - Throws: `CancellationError` if the run ends before.
    public func start(
        _ name: String,
        count: Int = 1,
        validation level: ValidationLevel = .strict,
        _ make: @escaping @Sendable (SimulatedNode<Container>) async throws -> Container
    ) async throws -> [SimulatedNode<Container>] {
        let makeContent: @Sendable (SimulatedNode<Container>) async throws -> Container = { node in
            let container = try await make(node)
            try container.validate(level)
            let relay = container.tryResolve(Relay.self)
            let projections = container.tryResolve(Projections.self)
            self.watch(node, relay, projections)
            if let relay { node.run { try await relay.run() } }
            if let projections { node.run { try await projections.run() } }
            return container
        }
        return try await start(name, count: count, content: makeContent)
    }
}

extension SimulatedWorld {
    /// Runs `body` with the values of a node or of the test, and collects its log messages and its issues.
    func environment<Result>(
        _ name: String, _ values: SystemValues, _ body: () async throws -> Result
    ) async throws -> Result {
        try await withIssueReporters([ViolationReporter(world: self)]) {
            try await withLogger(SimulationLogHandler.logger(of: name, history)) { _ in
                try await SystemValues.withCurrent(values) { try await body() }
            }
        }
    }
}

/// Makes a violation of each issue that code in a simulation reports, such as a test station.
private struct ViolationReporter: IssueReporter {
    weak let world: SimulatedWorld?

    func reportIssue(
        _ message: @autoclosure () -> String?,
        severity: IssueSeverity,
        fileID: StaticString,
        filePath: StaticString,
        line: UInt,
        column: UInt
    ) {
        if severity == .error { world?.fail("\(fileID):\(line): \(message() ?? "an issue")") }
    }
}

/// The settings of a simulation.
struct SimulationSetup: Sendable {
    let entities: [any StoredEntity.Type]
    let store: SimulatedStore.Kind
    let faults: SimulatedFaults
    let limit: Duration
    let maximumSteps: Int
    let allowedEscapes: Set<SimulationEscape.Kind>
}

/// Passes reports on to an object that is made later.
private final class ReportSink: Sendable {
    private let target = Mutex<(@Sendable (String) -> Void)?>(nil)

    func connect(_ target: @escaping @Sendable (String) -> Void) {
        self.target.withLock { $0 = target }
    }

    var send: @Sendable (String) -> Void {
        { text in self.target.withLock(\.self)?(text) }
    }
}
#endif
