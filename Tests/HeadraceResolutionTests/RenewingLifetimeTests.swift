// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HeadraceResolution
import HeadraceTesting
import Synchronization
import Testing

/// Weak and time-limited registrations replace their objects, one object at a time.
@Suite(.timeLimit(.minutes(2))) struct RenewingLifetimeTests {
    private let clock = TestClock()

    // MARK: Weak

    @Test func aWeakObjectIsSharedWhileItIsKeptAndThenCreatedAgain() {
        let made = Counter()
        let contracts = container { builder in
            builder.weak { () -> Settings in
                made.increment()
                return Settings()
            }
        }

        var first: Settings? = contracts.resolve()
        #expect(contracts.scope().resolve(Settings.self) === first)
        #expect(made.value == 1)
        first = nil
        _ = contracts.resolve(Settings.self)

        #expect(made.value == 2)
    }

    @Test func aContractOfAWeakObjectSharesIt() {
        let contracts = container { builder in
            builder.singleton { Settings() }
            builder.weak { (settings: Settings) in ResolvableMailer(settings: settings) }
            builder.transient((any Mailer).self, assigned(ResolvableMailer.self))
        }

        let kept = contracts.resolve((any Mailer).self)

        #expect(contracts.resolve(ResolvableMailer.self) === kept)
    }

    /// Each thread keeps its object until all threads have one, so there is one generation in each round.
    @Test func threadsShareOneGenerationOfAWeakObject() {
        let made = Counter()
        let contracts = container { builder in
            builder.weak { () -> Settings in
                made.increment()
                return Settings()
            }
        }
        for round in 1...500 {
            let seen = Mutex<[Settings]>([])
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                let settings: Settings = contracts.resolve()
                seen.withLock { $0.append(settings) }
            }
            let identities = seen.withLock { Set($0.map { ObjectIdentifier($0) }) }
            guard identities.count == 1, made.value == round else {
                Issue.record("\(identities.count) objects in round \(round), made \(made.value)")
                return
            }
        }
    }

    /// Objects are released while other threads ask: each thread must receive a living object.
    @Test func aWeakObjectMayVanishWhileOthersAskForIt() {
        let living = Counter()
        let released = Counter()
        let contracts = container { builder in
            builder.weak { Tracked(living, released) }
        }

        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<2_000 { _ = contracts.resolve(Tracked.self).isAlive }
        }

        #expect(living.value == released.value)
    }

    // MARK: Time-limited

    @Test func aTimeLimitedObjectIsReplacedAtItsEnd() {
        let contracts = container { builder in
            builder.timeLimited(.seconds(10), clock: clock) { Settings() }
        }

        let first: Settings = contracts.resolve()
        clock.advance(by: .seconds(10) - clock.minimumResolution)
        #expect(contracts.resolve(Settings.self) === first)
        clock.advance(by: clock.minimumResolution)
        let second: Settings = contracts.scope().resolve()

        #expect(second !== first)
        clock.advance(by: .seconds(9))
        #expect(contracts.resolve(Settings.self) === second)
    }

    @Test func theTimeBeginsAfterTheCreation() {
        let clock = clock
        let contracts = container { builder in
            builder.timeLimited(.seconds(10), clock: clock) { () -> Settings in
                clock.advance(by: .seconds(60))
                return Settings()
            }
        }

        let first: Settings = contracts.resolve()
        clock.advance(by: .seconds(9))

        #expect(contracts.resolve(Settings.self) === first)
    }

    @Test func theContainerReleasesAnExpiredObjectWithTheNextOne() {
        let contracts = container { builder in
            builder.timeLimited(.seconds(1), clock: clock) { Settings() }
        }
        weak let first: Settings? = contracts.resolve(Settings.self)
        #expect(first != nil)

        clock.advance(by: .seconds(1))
        _ = contracts.resolve(Settings.self)

        #expect(first == nil)
    }

    @Test func threadsCreateEachGenerationOnce() {
        let made = Counter()
        let contracts = container { builder in
            builder.timeLimited(.seconds(1), clock: clock) { () -> Settings in
                made.increment()
                return Settings()
            }
        }
        for round in 1...500 {
            let seen = Mutex<Set<ObjectIdentifier>>([])
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                let settings: Settings = contracts.resolve()
                seen.withLock { _ = $0.insert(ObjectIdentifier(settings)) }
            }
            guard seen.withLock({ $0.count }) == 1, made.value == round else {
                Issue.record("made \(made.value) in round \(round)")
                return
            }
            clock.advance(by: .seconds(1))
        }
    }

    // MARK: Checks

    @Test func aSingletonThatHoldsATimeLimitedObjectIsCaptive() throws {
        let builder = ContainerBuilder()
        builder.timeLimited(.seconds(1)) { Settings() }
        builder.singleton((any Mailer).self, SmtpMailer.init(settings:))

        let error = try #require(throws: CompositionError.self) { try builder.validate() }

        #expect(error.problems.map(\.kind) == [.captive])
        #expect(
            error.problems.first?.message == """
                A shared object keeps a time-limited object after its time: HeadraceResolutionTests.Mailer → \
                HeadraceResolutionTests.Settings. To fix, register \
                'builder.factory(of: HeadraceResolutionTests.Settings.self)', and let the first depend on the factory.
                """
        )
    }

    @Test func aSingletonMayHoldAFactoryOfATimeLimitedObject() throws {
        let builder = ContainerBuilder()
        builder.timeLimited(.seconds(1), clock: clock) { Settings() }
        builder.factory(of: Settings.self)
        builder.singleton(SettingsReader.init)
        try builder.validate(.strict)

        let reader: SettingsReader = builder.build().withExtendedLife { container in
            let reader: SettingsReader = container.resolve()
            let first = reader.settings()
            #expect(reader.settings() === first)
            clock.advance(by: .seconds(1))
            #expect(reader.settings() !== first)
            return reader
        }
        withExtendedLifetime(reader) {}
    }

    @Test func weakAndTimeLimitedObjectsThatHoldScopedObjectsAreCaptive() throws {
        let builder = ContainerBuilder()
        builder.scoped { Settings() }
        builder.weak(SmtpMailer.init(settings:))
        builder.timeLimited(.seconds(1), as: (any Mailer).self, SmtpMailer.init(settings:))

        let error = try #require(throws: CompositionError.self) { try builder.validate() }

        #expect(error.problems.map(\.kind) == [.captive, .captive])
        #expect(
            error.problems.first?.message == """
                An object that all scopes share (weak) keeps a scoped object, which belongs to the outermost scope: \
                HeadraceResolutionTests.SmtpMailer → HeadraceResolutionTests.Settings. To fix, register the last with \
                'builder.singleton(HeadraceResolutionTests.Settings.self) { … }', or pass it as an argument where it is used.
                """
        )
    }

    @Test func aFactoryOfATimeLimitedObjectHidesNoOtherPathToIt() throws {
        let builder = ContainerBuilder()
        builder.timeLimited(.seconds(1)) { Settings() }
        builder.factory(of: Settings.self)
        builder.transient(SmtpMailer.init(settings:))
        builder.transient((any Mailer).self) { (mailer: SmtpMailer) in mailer }
        builder.singleton { (read: Factory<Settings>, _: any Mailer) in SettingsReader(settings: read) }

        let error = #expect(throws: CompositionError.self) { try builder.validate() }

        #expect(error?.problems.map(\.kind) == [.captive])
    }

    @Test(arguments: [(holder: 60, problems: 1), (holder: 1, problems: 0)])
    func anObjectMayNotHoldAnObjectWithAShorterLimit(holder: Int, problems: Int) throws {
        let builder = ContainerBuilder()
        builder.timeLimited(.seconds(1)) { Settings() }
        builder.timeLimited(.seconds(holder), SmtpMailer.init(settings:))

        var kinds: [CompositionProblem.Kind] = []
        do {
            try builder.validate()
        } catch let error as CompositionError {
            kinds = error.problems.map(\.kind)
        }

        #expect(kinds == Array(repeating: .captive, count: problems))
    }

    @Test func aWeakObjectThatNeedsItselfIsACycle() throws {
        let builder = ContainerBuilder()
        builder.weak { (_: Settings) in Settings() }

        let invalid = try #require(throws: CompositionError.self) { try builder.validate() }
        let unresolved = #expect(throws: ResolutionError.self) { try builder.build().require(Settings.self) }

        #expect(invalid.problems.map(\.kind) == [.cyclic])
        #expect(unresolved?.code == .cyclic)
    }

    @Test func theLifetimesAreDrawn() {
        let builder = ContainerBuilder()
        builder.weak { Settings() }
        builder.timeLimited(.seconds(5), as: (any Mailer).self) { SmtpMailer() }

        #expect(
            builder.graph.mermaid == """
                flowchart LR
                    n0(["Settings<br/>weak"])
                    n1(["Mailer<br/>timeLimited, for 5.0 seconds"])

                """
        )
    }
}

extension Container {
    /// Runs `body` and keeps the container until it returns.
    fileprivate func withExtendedLife<Result>(_ body: (Container) -> Result) -> Result {
        withExtendedLifetime(self) { body(self) }
    }
}

private final class SettingsReader: Sendable {
    let settings: Factory<Settings>

    init(settings: Factory<Settings>) {
        self.settings = settings
    }
}

private final class Tracked: Sendable {
    private let released: Counter
    let isAlive = true

    init(_ living: Counter, _ released: Counter) {
        living.increment()
        self.released = released
    }

    deinit {
        released.increment()
    }
}
