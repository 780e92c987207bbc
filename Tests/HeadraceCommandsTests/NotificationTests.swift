// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceCore
import HeadraceResolution
import HeadraceTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct NotificationTests {
    private let journal = Journal()
    private let meeting = Meeting()

    /// Publishes that something moved to "A", to `handlers`.
    private func publish(
        _ policy: PublicationPolicy = .inOrder,
        to handlers: [any (HandlesNotification & Resolvable).Type],
        middleware: [any Middleware] = [],
        scoping: DispatchScoping = .dispatcher
    ) async throws {
        let meeting = meeting
        let container = container(
            notificationHandlers: handlers,
            middleware: middleware,
            scoping: scoping,
            journal: journal
        ) { builder in
            builder.singleton { meeting }
        }
        defer { withExtendedLifetime(container) {} }
        let dispatcher: any CommandQueryDispatcher = container.resolve()
        try await dispatcher.publish(Moved(to: "A"), policy)
    }

    @Test func allHandlersRunOnceInTheOrderRegistered() async throws {
        try await publish(to: [Taking<Second>.self, Taking<First>.self, Taking<Third>.self, Taking<First>.self])

        #expect(journal.entries == ["second A", "first A", "third A"])
    }

    @Test(arguments: [PublicationPolicy.inOrder, .inOrderUntilFailure, .concurrently])
    func aNotificationWithoutAHandlerIsNoError(policy: PublicationPolicy) async throws {
        try await publish(policy, to: [])
        try await publish(policy, to: [UnrelatedHandler.self])

        #expect(journal.entries == [])
    }

    @Test(arguments: [PublicationPolicy.inOrder, .concurrently])
    func aFailingHandlerStopsNoOtherAndTheErrorNamesAllFailures(policy: PublicationPolicy) async throws {
        let error = try #require(
            await #expect(throws: PublicationError.self) {
                try await publish(
                    policy,
                    to: [Taking<Failing>.self, Taking<First>.self, Taking<AlsoFailing>.self, Taking<Second>.self]
                )
            }
        )

        #expect(journal.entries.sorted() == ["also failing A", "failing A", "first A", "second A"])
        #expect(
            error.failures.map { ObjectIdentifier($0.handler) } == [
                ObjectIdentifier(Taking<Failing>.self), ObjectIdentifier(Taking<AlsoFailing>.self),
            ])
        #expect(error.failures.map { ($0.error as? Broken)?.part } == ["engine", "wheel"])
        #expect(error.code == .handlersFailed)
        #expect(error.message.hasPrefix("Of the 4 handlers of 'HeadraceCommandsTests.Moved', 2 failed: "))
    }

    @Test func theFirstFailureEndsThePublicationIfThePolicySaysSo() async throws {
        await #expect(throws: Broken(part: "engine")) {
            try await publish(
                .inOrderUntilFailure,
                to: [Taking<First>.self, Taking<Failing>.self, Taking<Second>.self]
            )
        }

        #expect(journal.entries == ["first A", "failing A"])
    }

    @Test func concurrentHandlersRunAtTheSameTime() async throws {
        try await publish(.concurrently, to: [Taking<MeetsOne>.self, Taking<MeetsTwo>.self])

        #expect(journal.entries.sorted() == ["met one", "met two"])
    }

    @Test func middlewareWrapsThePublicationOnce() async throws {
        let contexts = ContextRecorder()

        try await publish(
            to: [Taking<First>.self, Taking<Second>.self],
            middleware: [contexts, Signposts(name: "middleware", journal: journal)]
        )

        #expect(journal.entries == ["middleware in", "first A", "second A", "middleware out"])
        #expect(contexts.contexts.map(\.kind) == [.notification])
        #expect(contexts.contexts.map(\.typeName) == ["HeadraceCommandsTests.Moved"])
    }

    @Test func retryMiddlewareRunsNoHandlerAgainAfterAPublicationError() async throws {
        await #expect(throws: PublicationError.self) {
            try await publish(
                to: [Taking<First>.self, Taking<Retryable>.self],
                middleware: [RetryMiddleware(clock: TestClock())]
            )
        }

        #expect(journal.entries == ["first A", "retryable A"])
    }

    @Test func theHandlersOfAPublicationShareItsScope() async throws {
        try await publish(to: [Taking<RecordsTenant>.self, Taking<AlsoRecordsTenant>.self], scoping: .perDispatch)

        #expect(journal.entries.count == 2)
        #expect(Set(journal.entries).count == 1)
    }

    @Test func aCancelledTaskStartsNoFurtherHandler() async throws {
        let task = Task { try await publish(to: [Taking<Cancelling>.self, Taking<First>.self]) }

        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(journal.entries == ["cancelling A"])
    }

    @Test func aCancellationEndsConcurrentHandlers() async throws {
        let task = Task {
            try await publish(.concurrently, to: [Taking<WaitsForCancellation>.self, Taking<First>.self])
        }

        try await meeting.one.wait()
        task.cancel()

        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test @MainActor func handlersInOrderStayOnTheActorOfTheCaller() async throws {
        try await publish(to: [Taking<OnTheMainActor>.self])

        #expect(journal.entries == ["on the main actor"])
    }

    @Test(arguments: [PublicationPolicy.inOrder, .concurrently])
    func aHandlerOfTheMainActorRunsOnIt(policy: PublicationPolicy) async throws {
        try await publish(policy, to: [MainActorHandler.self])

        #expect(journal.entries == ["on the main actor"])
    }

    @Test func aMissingDependencyIsReportedAtTheStartAndFailsOneHandler() async throws {
        let builder = ContainerBuilder()
        let (journal, meeting) = (journal, meeting)
        builder.singleton { journal }
        builder.singleton { meeting }
        builder.scoped { Tenant() }
        builder.commandQueryDispatch().standard(notificationHandlers: [NeedyHandler.self, Taking<First>.self])
        let problems = try #require(throws: CompositionError.self) { try builder.validate() }.problems

        let container = builder.build()
        defer { withExtendedLifetime(container) {} }
        let dispatcher: any CommandQueryDispatcher = container.resolve()
        let error = await #expect(throws: PublicationError.self) { try await dispatcher.publish(Moved(to: "A")) }

        #expect(problems.map(\.kind) == [.missing])
        #expect(error?.failures.first?.error is ResolutionError)
        #expect(error?.failures.count == 1)
        #expect(journal.entries == ["first A"])
    }

    @Test func aDispatcherWithoutNotificationsSaysSo() async throws {
        let error = await #expect(throws: DispatchError.self) { try await OldDispatcher().publish(Moved(to: "A")) }

        #expect(error?.code == .noHandler)
        #expect(error?.message.contains("publish<T: CQDNotification>") == true)
    }

    @Test func aRecordingDispatcherRecordsNotifications() async throws {
        let dispatcher = RecordingDispatcher()

        try await dispatcher.publish(Moved(to: "A"))
        try await dispatcher.publish(Moved(to: "B"), .concurrently)

        #expect(dispatcher.dispatched(Moved.self).map(\.to) == ["A", "B"])
        try dispatcher.requireDispatched(Moved(to: "A"), Moved(to: "B"))
    }
}

// MARK: - Messages and handlers

private struct Moved: CQDNotification, Equatable {
    let to: String
}

private struct Unrelated: CQDNotification {}

private struct Broken: Error, Equatable {
    let part: String
}

private struct Flaky: RetryableError {
    let isRetryable = true
}

private final class Meeting: Sendable {
    let one = OneShot<Void>()
    let two = OneShot<Void>()
    let never = OneShot<Void>()
}

/// The work of a handler.
private protocol Work: SendableMetatype {
    static func handle(_ moved: Moved, by handler: Taking<Self>) async throws
}

/// A handler that does the work `W`.
private final class Taking<W: Work>: HandlesNotification, Resolvable {
    let journal: Journal
    let meeting: Meeting
    let tenant: Tenant

    init(scope: any DependencyResolutionScope) {
        journal = scope.resolve()
        meeting = scope.resolve()
        tenant = scope.resolve()
    }

    func handle(_ notification: Moved) async throws { try await W.handle(notification, by: self) }
}

private enum First: Work {
    static func handle(_ moved: Moved, by handler: Taking<First>) { handler.journal.record("first \(moved.to)") }
}

private enum Second: Work {
    static func handle(_ moved: Moved, by handler: Taking<Second>) { handler.journal.record("second \(moved.to)") }
}

private enum Third: Work {
    static func handle(_ moved: Moved, by handler: Taking<Third>) { handler.journal.record("third \(moved.to)") }
}

private enum Failing: Work {
    static func handle(_ moved: Moved, by handler: Taking<Failing>) throws {
        handler.journal.record("failing \(moved.to)")
        throw Broken(part: "engine")
    }
}

private enum AlsoFailing: Work {
    static func handle(_ moved: Moved, by handler: Taking<AlsoFailing>) throws {
        handler.journal.record("also failing \(moved.to)")
        throw Broken(part: "wheel")
    }
}

private enum Retryable: Work {
    static func handle(_ moved: Moved, by handler: Taking<Retryable>) throws {
        handler.journal.record("retryable \(moved.to)")
        throw Flaky()
    }
}

/// Ends only after ``MeetsTwo`` has begun.
private enum MeetsOne: Work {
    static func handle(_ moved: Moved, by handler: Taking<MeetsOne>) async throws {
        handler.meeting.one.set(())
        try await handler.meeting.two.wait()
        handler.journal.record("met two")
    }
}

/// Ends only after ``MeetsOne`` has begun.
private enum MeetsTwo: Work {
    static func handle(_ moved: Moved, by handler: Taking<MeetsTwo>) async throws {
        handler.meeting.two.set(())
        try await handler.meeting.one.wait()
        handler.journal.record("met one")
    }
}

private enum WaitsForCancellation: Work {
    static func handle(_ moved: Moved, by handler: Taking<WaitsForCancellation>) async throws {
        handler.meeting.one.set(())
        try await handler.meeting.never.wait()
    }
}

private enum Cancelling: Work {
    static func handle(_ moved: Moved, by handler: Taking<Cancelling>) {
        handler.journal.record("cancelling \(moved.to)")
        cancelCurrentTask()
    }
}

private enum RecordsTenant: Work {
    static func handle(_ moved: Moved, by handler: Taking<RecordsTenant>) {
        handler.journal.record("\(ObjectIdentifier(handler.tenant))")
    }
}

private enum AlsoRecordsTenant: Work {
    static func handle(_ moved: Moved, by handler: Taking<AlsoRecordsTenant>) {
        handler.journal.record("\(ObjectIdentifier(handler.tenant))")
    }
}

private enum OnTheMainActor: Work {
    static func handle(_ moved: Moved, by handler: Taking<OnTheMainActor>) {
        MainActor.preconditionIsolated()
        handler.journal.record("on the main actor")
    }
}

private final class MainActorHandler: HandlesNotification, Resolvable {
    private let journal: Journal

    init(scope: any DependencyResolutionScope) { journal = scope.resolve() }

    @MainActor func handle(_ notification: Moved) async throws {
        MainActor.preconditionIsolated()
        journal.record("on the main actor")
    }
}

private final class UnrelatedHandler: HandlesNotification, Resolvable {
    private let journal: Journal

    init(scope: any DependencyResolutionScope) { journal = scope.resolve() }

    func handle(_ notification: Unrelated) async throws { journal.record("unrelated") }
}

private final class Absent: Sendable {}

private final class NeedyHandler: HandlesNotification, Resolvable {
    static var dependencies: Dependencies { Dependencies().on(Absent.self) }

    init(scope: any DependencyResolutionScope) { _ = scope.resolve(Absent.self) }

    func handle(_ notification: Moved) async throws {}
}

/// A dispatcher without the requirement for notifications.
private struct OldDispatcher: CommandQueryDispatcher {
    func dispatch<T>(_ command: T) async throws where T: CQDCommand, T.Output == Void {}

    func dispatch<T>(_ query: T) async throws -> T.Value where T: CQDQuery { throw Flaky() }
}
