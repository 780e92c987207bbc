// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution
import HeadraceTesting
import Synchronization
import Testing

/// Objects that are created asynchronously at the start of the program.
@Suite(.timeLimit(.minutes(1))) struct BootstrapTests {
    private let log = Log()
    private let clock = TestClock()

    /// `Third` needs `Second`, which needs `First`; they are registered in the reverse order.
    private func builder(second: @escaping @Sendable () async throws -> Void = {}) -> ContainerBuilder {
        let log = log
        let builder = ContainerBuilder()
        builder.bootstrapped { (second: Second) in
            log.note("third")
            return Third(second: second)
        } shutdown: { _ in
            log.note("third ends")
        }
        // A singleton between two objects of the start is created on the way.
        builder.singleton { (first: First) in Between(first: first) }
        builder.bootstrapped(timeout: .seconds(5)) { (between: Between) in
            try await second()
            log.note("second")
            return Second(first: between.first)
        } shutdown: { _ in
            log.note("second ends")
        }
        builder.bootstrapped { () async throws -> First in
            await Task.yield()
            log.note("first")
            return First()
        } shutdown: { _ in
            log.note(Task.isCancelled ? "first is cancelled" : "first ends")
        }
        return builder
    }

    @Test func objectsAreCreatedAfterTheirDependenciesAndShutDownInReverse() async throws {
        let builder = builder()
        try builder.validate(.strict)
        let container = builder.build()

        try await container.bootstrap(clock: clock)
        try await container.bootstrap(clock: clock)

        #expect(container.resolve(Third.self).second === container.resolve(Second.self))
        #expect(container.resolve(Second.self).first === container.resolve(First.self))
        #expect(log.all == ["first", "second", "third"])
        await container.shutdown()
        await container.shutdown()
        #expect(log.all.suffix(3) == ["third ends", "second ends", "first ends"])
    }

    @Test func theProgressNamesEachStepWithItsDuration() async throws {
        let clock = clock
        let container = builder { clock.advance(by: .seconds(2)) }.build()
        let steps = Mutex<[String]>([])

        try await container.bootstrap(clock: clock) { step in
            let name = step.service.split(separator: ".").last ?? ""
            let end = step.duration.map { "\($0)" } ?? "begins"
            steps.withLock { $0.append("\(step.number)/\(step.count) \(name) \(end)") }
        }

        #expect(
            steps.withLock(\.self) == [
                "1/3 First begins", "1/3 First 0.0 seconds", "2/3 Second begins", "2/3 Second 2.0 seconds",
                "3/3 Third begins", "3/3 Third 0.0 seconds",
            ]
        )
    }

    @Test func aFailureNamesItsServiceAndShutsDownTheOthers() async throws {
        let container = builder { throw Broken() }.build()

        let error = await #expect(throws: BootstrapError.self) { try await container.bootstrap(clock: clock) }

        #expect(error?.code == .failed)
        #expect(error?.service == "HeadraceResolutionTests.Second")
        #expect(error?.cause is Broken)
        #expect(log.all == ["first", "first ends"])
        let again = await #expect(throws: BootstrapError.self) { try await container.bootstrap(clock: clock) }
        #expect(again?.code == .closed)
    }

    @Test func aConstructionThatExceedsItsTimeOutIsCancelled() async throws {
        let clock = clock
        let container = builder { try await clock.sleep(until: clock.now.advanced(by: .seconds(60))) }.build()

        let start = Task { try await container.bootstrap(clock: clock) }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(5))

        let error = await #expect(throws: BootstrapError.self) { try await start.value }
        #expect(error?.code == .timedOut)
        #expect(error?.service == "HeadraceResolutionTests.Second")
        #expect(error?.cause is CancellationError)
        #expect(log.all == ["first", "first ends"])
    }

    @Test func anObjectThatIsCreatedTooLateIsShutDown() async throws {
        let clock = clock
        let container = builder {
            // It ignores its cancellation.
            try? await clock.sleep(until: clock.now.advanced(by: .seconds(60)))
        }
        .build()

        let start = Task { try await container.bootstrap(clock: clock) }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(5))

        let error = await #expect(throws: BootstrapError.self) { try await start.value }
        #expect(error?.code == .timedOut)
        #expect(log.all == ["first", "second", "second ends", "first ends"])
    }

    @Test func aCancelledStartShutsDownWhatExists() async throws {
        let clock = clock
        let container = builder { try await clock.sleep(until: clock.now.advanced(by: .seconds(60))) }.build()

        let start = Task { try await container.bootstrap(clock: clock) }
        await clock.waitForSleepers(2)
        start.cancel()

        await #expect(throws: CancellationError.self) { try await start.value }
        #expect(log.all == ["first", "first ends"])
    }

    // On the main actor, the shutdown waits as soon as a later task of that actor runs.
    @Test @MainActor func aShutdownDuringTheStartShutsDownWhatExists() async throws {
        let clock = clock
        let container = builder { try await clock.sleep(until: clock.now.advanced(by: .seconds(1))) }.build()
        let start = Task { try await container.bootstrap(clock: clock) }
        await clock.waitForSleepers(2)

        let shutdown = Task {
            await container.shutdown()
            log.note("shut down")
        }
        await Task {}.value
        clock.advance(by: .seconds(1))

        let error = await #expect(throws: BootstrapError.self) { try await start.value }
        await shutdown.value
        #expect(error?.code == .closed)
        #expect(log.all == ["first", "second", "second ends", "first ends", "shut down"])
    }

    @Test func aConstructionCanShutItsContainerDown() async throws {
        let current = Mutex<Container?>(nil)
        let container = builder { await current.withLock(\.self)?.shutdown() }.build()
        current.withLock { $0 = container }

        let error = await #expect(throws: BootstrapError.self) { try await container.bootstrap(clock: clock) }

        #expect(error?.code == .closed)
        #expect(log.all == ["first", "second", "second ends", "first ends"])
    }

    @Test func aContainerThatWasShutDownCannotBeStarted() async throws {
        let container = builder().build()

        await container.shutdown()

        let error = await #expect(throws: BootstrapError.self) { try await container.bootstrap(clock: clock) }
        #expect(error?.code == .closed)
        #expect(log.all == [])
    }

    @Test func whatAFactoryNeedsIsCreatedFirst() async throws {
        let builder = ContainerBuilder()
        builder.bootstrapped { (make: Factory<Between>) in Second(first: make().first) }
        builder.factory(of: Between.self)
        builder.transient { (first: First) in Between(first: first) }
        builder.bootstrapped { () async throws -> First in First() }
        try builder.validate(.strict)
        let container = builder.build()

        try await container.bootstrap(clock: clock)

        #expect(container.resolve(Second.self).first === container.resolve(First.self))
    }

    @Test func aFactoryOfAnObjectThatNeedsItsOwnerChangesNoOrder() async throws {
        let builder = ContainerBuilder()
        builder.bootstrapped { (_: Factory<Second>) in First() }
        builder.factory(of: Second.self)
        builder.bootstrapped { (first: First) in Second(first: first) }
        try builder.validate(.strict)
        let container = builder.build()

        try await container.bootstrap(clock: clock)

        #expect(container.resolve(Second.self).first === container.resolve(First.self))
    }

    @Test func twoStartsAtOnceAreRefused() async throws {
        let clock = clock
        let container = builder { try await clock.sleep(until: clock.now.advanced(by: .seconds(1))) }.build()
        let start = Task { try await container.bootstrap(clock: clock) }
        await clock.waitForSleepers(2)

        let error = await #expect(throws: BootstrapError.self) { try await container.bootstrap(clock: clock) }

        #expect(error?.code == .running)
        clock.advance(by: .seconds(1))
        try await start.value
    }

    @Test func anObjectThatIsResolvedBeforeTheStartIsATypedProblem() async throws {
        let container = builder().build()

        let error = #expect(throws: ResolutionError.self) { try container.require(Between.self) }
        #expect(error?.code == .notBootstrapped)
        #expect(error?.message.contains("'try await container.bootstrap()'") == true)

        try await container.bootstrap(clock: clock)
        #expect(try container.require(Between.self).first === container.resolve(First.self))
    }

    @Test func resolvingBeforeTheStartStopsTheProgramWithTheFix() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let builder = ContainerBuilder()
            builder.bootstrapped { () async throws -> Settings in Settings() }
            _ = builder.build().resolve(Settings.self)
        }

        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("container.bootstrap()"))
    }

    @Test func aMissingDependencyIsAnErrorOfItsService() async throws {
        let builder = ContainerBuilder()
        builder.bootstrapped { (_: Settings) async throws -> First in First() }

        #expect(throws: CompositionError.self) { try builder.validate() }
        let error = await #expect(throws: BootstrapError.self) { try await builder.build().bootstrap(clock: clock) }

        #expect((error?.cause as? ResolutionError)?.code == .missing)
    }

    @Test func aCycleIsAnErrorAndNotADeadlock() async throws {
        let builder = ContainerBuilder()
        builder.bootstrapped { (_: Between) async throws -> First in First() }
        builder.singleton { (first: First) in Between(first: first) }

        let invalid = #expect(throws: CompositionError.self) { try builder.validate() }
        let error = await #expect(throws: BootstrapError.self) { try await builder.build().bootstrap(clock: clock) }

        #expect(invalid?.problems.map(\.kind) == [.cyclic])
        #expect((error?.cause as? ResolutionError)?.code == .cyclic)
    }

    @Test func decoratorsApplyToTheObjectsOfTheStart() async throws {
        let builder = builder()
        builder.decorate(First.self) { _ in First(isDecorated: true) }
        let container = builder.build()

        try await container.bootstrap(clock: clock)

        #expect(container.resolve(First.self).isDecorated)
        #expect(container.resolve(Second.self).first.isDecorated)
    }

    @Test func theStartIsDrawn() {
        #expect(builder().graph.mermaid.contains("First<br/>singleton, made at the start"))
    }
}

private struct Broken: Error {}

private final class Log: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock(\.self) }

    func note(_ line: String) {
        lines.withLock { $0.append(line) }
    }
}

private final class First: Sendable {
    let isDecorated: Bool

    init(isDecorated: Bool = false) {
        self.isDecorated = isDecorated
    }
}

private final class Between: Sendable {
    let first: First

    init(first: First) {
        self.first = first
    }
}

private final class Second: Sendable {
    let first: First

    init(first: First) {
        self.first = first
    }
}

private final class Third: Sendable {
    let second: Second

    init(second: Second) {
        self.second = second
    }
}
