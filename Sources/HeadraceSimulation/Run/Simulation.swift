// SPDX-License-Identifier: Apache-2.0

#if Simulations
import Foundation
import HeadraceCore
public import HeadraceDomain
import HeadraceTesting
import IssueReporting
import Logging

/// Runs whole applications from one seed: all nodes, the store, the network, and the time, on one thread.
///
/// Two runs with the same seed do the same, step by step. So a lost update or a double charge happens each time with its seed.
public enum Simulation {
    /// Runs `body` with one seed after the other, and reports the smallest run of the first seed that fails.
    ///
    /// A run fails if a check fails, if `body` throws an error, or if code escapes from the simulation. Some seeds run twice, and fail
    /// if the two runs differ. The report names the seed, the step, the simulated time, the faults, the last messages of each node,
    /// and the line that repeats the run.
    ///
    /// - Parameters:
    ///   - seeds: The seeds.
    ///   - duration: The real time after which no other seed begins; `nil` for all seeds.
    ///   - entities: The types of entity of the store.
    ///   - store: The kind of store of which the store is a model.
    ///   - faults: The faults and their rates.
    ///   - limit: The simulated time after which a run fails, because it should have ended.
    ///   - allowedEscapes: The escapes that are no failure, because the behaviour of the program doesn't depend on them.
    ///     A run with such escapes isn't repeated.
    ///   - fileID: The file ID for the report.
    ///   - filePath: The file path for the report.
    ///   - line: The line for the report.
    ///   - column: The column for the report.
    ///   - body: The simulation. It makes all of its objects, because they must not keep anything from an earlier run.
    /// - Returns: The numbers of all runs.
    @discardableResult
    public static func explore(
        seeds: Range<UInt64>,
        for duration: Duration? = nil,
        entities: [any StoredEntity.Type],
        store: SimulatedStore.Kind = .server,
        faults: SimulatedFaults = .all,
        limit: Duration = .seconds(3_600),
        allowing allowedEscapes: Set<SimulationEscape.Kind> = [],
        fileID: StaticString = #fileID,
        filePath: StaticString = #filePath,
        line: UInt = #line,
        column: UInt = #column,
        _ body: @escaping @Sendable (SimulatedWorld) async throws -> Void
    ) async -> SimulationSummary {
        let setup = SimulationSetup(
            entities: entities, store: store, faults: faults, limit: limit, maximumSteps: maximumSteps,
            allowedEscapes: allowedEscapes)
        let exploration = Exploration(setup: setup, body: body)
        let (summary, failure) = await exploration.run(seeds, for: duration)
        if let failure {
            reportIssue("\(failure)", fileID: fileID, filePath: filePath, line: line, column: column)
        }
        return summary
    }

    /// Runs `body` with one seed, twice, and throws an error if it fails or if the runs differ.
    ///
    /// - Parameters:
    ///   - seed: The seed.
    ///   - kept: The names of the faults that may happen, as a report lists them; `nil` for all.
    ///   - clients: Maximum number of clients; `nil` for all.
    ///   - entities: The types of entity of the store.
    ///   - store: The kind of store of which the store is a model.
    ///   - faults: The faults and their rates.
    ///   - limit: The simulated time after which the run fails, because it should have ended.
    ///   - allowedEscapes: The escapes that are no failure, because the behaviour of the program doesn't depend on them.
    ///     A run with such escapes isn't repeated.
    ///   - body: The simulation.
    /// - Returns: The numbers of the run.
    /// - Throws: ``SimulationFailure``.
    @discardableResult
    public static func run(
        seed: UInt64,
        only kept: Set<String>? = nil,
        clients: Int? = nil,
        entities: [any StoredEntity.Type],
        store: SimulatedStore.Kind = .server,
        faults: SimulatedFaults = .all,
        limit: Duration = .seconds(3_600),
        allowing allowedEscapes: Set<SimulationEscape.Kind> = [],
        _ body: @escaping @Sendable (SimulatedWorld) async throws -> Void
    ) async throws -> SimulationSummary {
        let setup = SimulationSetup(
            entities: entities, store: store, faults: faults, limit: limit, maximumSteps: maximumSteps,
            allowedEscapes: allowedEscapes)
        let exploration = Exploration(setup: setup, body: body)
        let reduction = SimulationReduction(faults: kept, clients: clients)
        let (summary, failure) = await exploration.run(seed, reduction)
        if let failure { throw failure }
        return summary
    }

    /// Does the same as ``explore(seeds:for:entities:store:faults:limit:allowing:fileID:filePath:line:column:_:)``, and returns the
    /// failure instead of reporting it.
    package static func search(
        seeds: Range<UInt64>,
        for duration: Duration? = nil,
        entities: [any StoredEntity.Type],
        store: SimulatedStore.Kind = .server,
        faults: SimulatedFaults = .all,
        limit: Duration = .seconds(3_600),
        maximumSteps: Int = maximumSteps,
        _ body: @escaping @Sendable (SimulatedWorld) async throws -> Void
    ) async -> (SimulationSummary, SimulationFailure?) {
        let setup = SimulationSetup(
            entities: entities, store: store, faults: faults, limit: limit, maximumSteps: maximumSteps,
            allowedEscapes: [])
        return await Exploration(setup: setup, body: body).run(seeds, for: duration)
    }

    /// Number of jobs after which a run fails, because it should have ended.
    package static let maximumSteps = 2_000_000

    /// A finished run.
    struct Outcome: Sendable {
        let seed: UInt64
        let violations: [SimulatedWorld.Violation]
        let trace: SimulationTrace
        let escapes: [Scheduler.Escape]
        let isRepeatable: Bool
        let faults: [String]
        let history: [(node: String, entries: [SimulationHistory.Entry])]
        let steps: Int
        let time: Duration
        let clients: Int
    }

    /// Runs `body` once.
    static func perform(
        seed: UInt64,
        setup: SimulationSetup,
        reduction: SimulationReduction,
        _ body: @escaping @Sendable (SimulatedWorld) async throws -> Void
    ) throws -> Outcome {
        _ = SimulatedClock.beginning
        let scheduler = Scheduler(seed: seed, allowing: setup.allowedEscapes)
        let world = try SimulatedWorld(seed: seed, scheduler: scheduler, setup: setup, reduction: reduction)
        scheduler.bind {
            Task.detached {
                do {
                    try await world.environment("test", world.values) {
                        world.beginFaults()
                        try await ScheduleSeed.$current.withValue(seed) { try await body(world) }
                        world.endFaults()
                        await world.server.check()
                        world.server.checkPromises()
                    }
                } catch {
                    world.fail("The body of the simulation threw an error: \(error)")
                }
                world.end()
            }
            let end = scheduler.run(until: setup.limit, maximumSteps: setup.maximumSteps) {
                world.hasEnded || !world.violations.isEmpty
            }
            switch end {
            case .done: break
            case .nothingLeft: world.fail("The body of the simulation waits for something that doesn't happen.")
            case .limitReached:
                world.fail(
                    """
                    The body of the simulation has not ended within \(setup.limit.seconds) and \(setup.maximumSteps) steps. To fix, \
                    find out what it waits for, or raise the limit.
                    """)
            }
        }
        let outcome = Outcome(
            seed: seed,
            violations: world.violations,
            trace: scheduler.trace,
            escapes: scheduler.reportedEscapes,
            isRepeatable: !scheduler.hasEscaped,
            faults: world.plan.happened,
            history: world.history.last,
            steps: scheduler.stepCount,
            time: scheduler.now,
            clients: world.clientCount
        )
        scheduler.end()
        scheduler.bind {
            for machine in world.machines { machine.stop() }
            scheduler.run(until: scheduler.now + .seconds(60), maximumSteps: scheduler.stepCount + 20_000) { false }
            world.release()
        }
        return outcome
    }
}
#endif
