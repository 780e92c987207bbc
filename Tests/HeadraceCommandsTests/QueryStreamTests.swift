// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceCore
import HeadraceResolution
import Testing

@Suite(.timeLimit(.minutes(2))) struct QueryStreamTests {
    private let journal = Journal()

    @Test func aStreamQueryIsAnsweredWithItsValuesInOrder() async throws {
        var numbers: [Int] = []
        for try await number in try await dispatcher().dispatch(CountUp(to: 3)) { numbers.append(number) }

        #expect(numbers == [1, 2, 3])
    }

    @Test func noValueIsMadeBeforeItIsRequested() async throws {
        var values = try await dispatcher().dispatch(CountUp(to: 3)).makeAsyncIterator()
        #expect(journal.entries == ["begun"])

        #expect(try await values.next() == 1)
        #expect(journal.entries == ["begun", "1"])

        #expect(try await values.next() == 2)
        #expect(journal.entries == ["begun", "1", "2"])
    }

    // MARK: The end

    @Test func theHandlerIsReleasedWhenTheStreamHasEnded() async throws {
        var values = try await dispatcher().dispatch(CountUp(to: 1)).makeAsyncIterator()

        #expect(try await values.next() == 1)
        #expect(try await values.next() == nil)

        #expect(journal.entries == ["begun", "1", "closed"])
        #expect(try await values.next() == nil)
    }

    @Test func theHandlerIsReleasedWhenTheLoopEnds() async throws {
        for try await number in try await dispatcher().dispatch(CountUp(to: .max)) where number == 2 { break }

        #expect(journal.entries == ["begun", "1", "2", "closed"])
    }

    @Test func theHandlerIsReleasedWhenTheStreamIsNeverIterated() async throws {
        _ = try await dispatcher().dispatch(CountUp(to: 3))

        #expect(journal.entries == ["begun", "closed"])
    }

    @Test func anErrorOfTheSequenceReachesTheCallerUnwrappedAndEndsTheStream() async throws {
        var values = try await dispatcher().dispatch(CountUp(to: 3, failingAt: 2)).makeAsyncIterator()
        #expect(try await values.next() == 1)

        let error = await #expect(throws: Miscount.self) { try await values.next() }

        #expect(error?.number == 2)
        #expect(journal.entries == ["begun", "1", "closed"])
        #expect(try await values.next() == nil)
    }

    @Test func anErrorOfTheHandlerReachesTheDispatchingCaller() async throws {
        await #expect(throws: Miscount.self) { _ = try await dispatcher().dispatch(CountUp(to: 3, failingAt: 0)) }
    }

    // MARK: Cancellation

    @Test func cancellingTheTaskEndsASequenceThatIgnoresCancellation() async throws {
        let dispatcher = dispatcher()
        let (reached, reach) = AsyncStream<Void>.makeStream()
        let (resumed, resume) = AsyncStream<Void>.makeStream()

        let counting = Task {
            var count = 0
            for try await _ in try await dispatcher.dispatch(CountUp(to: .max)) {
                count += 1
                if count == 2 {
                    reach.yield()
                    // Not in this task, which by then is cancelled.
                    await Task { for await _ in resumed { break } }.value
                }
            }
            return count
        }
        for await _ in reached { break }
        counting.cancel()
        resume.yield()

        await #expect(throws: CancellationError.self) { try await counting.value }
        #expect(journal.entries == ["begun", "1", "2", "closed"])
    }

    @Test func cancellingTheTaskEndsAHandlerThatWaitsAndRunsItsTeardown() async throws {
        let dispatcher = dispatcher()
        let (began, begin) = AsyncStream<Void>.makeStream()

        let waiting = Task {
            for try await _ in try await dispatcher.dispatch(WaitForNews(begun: begin)) {}
        }
        for await _ in began { break }
        waiting.cancel()

        // Not `nil`, which would look like the end of the news.
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(journal.entries == ["unsubscribed"])
    }

    // MARK: Isolation

    @Test @MainActor func nonSendableValuesAreMadeOnTheActorOfTheCaller() async throws {
        var seen: [Label] = []

        for try await label in try await dispatcher(middleware: [PassThrough()]).dispatch(GetLabels()) {
            label.text += "!"
            seen.append(label)
        }

        #expect(seen.map(\.text) == ["a!", "b!"])
    }

    // MARK: Middleware and scopes

    @Test func middlewareSurroundsTheCallOfTheHandler() async throws {
        let dispatcher = dispatcher(middleware: [Signposts(name: "outer", journal: journal)])

        for try await _ in try await dispatcher.dispatch(CountUp(to: 1)) {}

        #expect(journal.entries == ["outer in", "begun", "outer out", "1", "closed"])
    }

    @Test func aRefusedStreamQueryHasNoHandler() async throws {
        let dispatcher = dispatcher(middleware: [Closed()])

        await #expect(throws: Closed.Refusal.self) { _ = try await dispatcher.dispatch(CountUp(to: 1)) }

        #expect(journal.entries.isEmpty)
    }

    @Test func valuesAreMadeInTheContextOfTheirQuery() async throws {
        let recorder = ContextRecorder()
        var contexts: [MessageContext?] = []

        for try await context in try await dispatcher(middleware: [recorder]).dispatch(GetContexts()) {
            contexts.append(context)
            #expect(MessageContext.current == nil)
        }

        #expect(recorder.contexts.map(\.kind) == [.query])
        #expect(contexts.map { $0?.id } == [recorder.contexts.first?.id])
    }

    @Test func theScopeOfADispatchLivesAsLongAsItsStream() async throws {
        let dispatcher = dispatcher(scoping: .perDispatch)

        var values = try await dispatcher.dispatch(IsScopeAlive()).makeAsyncIterator()

        #expect(try await values.next() == true)
        #expect(try await values.next() == true)
    }

    // MARK: Without a handler

    @Test func aMissingHandlerNamesTheQueryAndTheLineToAdd() async throws {
        let error = await #expect(throws: DispatchError.self) {
            _ = try await container().resolve((any CommandQueryDispatcher).self).dispatch(GetNothing())
        }

        #expect(error?.code == .noHandler)
        #expect(
            error?.message == """
                No handler is registered for 'HeadraceCommandsTests.GetNothing'. To fix, add the type that handles it \
                to 'streamHandlers: […]' of 'commandQueryDispatch().standard(…)'.
                """
        )
    }

    @Test func aDispatcherWithoutStreamQueriesThrowsAnErrorThatSaysSo() async throws {
        let error = await #expect(throws: DispatchError.self) { _ = try await TwoMethods().dispatch(GetNothing()) }

        #expect(error?.code == .noHandler)
        #expect(error?.message.contains("'HeadraceCommandsTests.GetNothing'") == true)
        #expect(error?.message.contains("To fix, implement its 'dispatch<T: CQDStreamQuery>") == true)
    }

    private func dispatcher(
        middleware: [any Middleware] = [],
        scoping: DispatchScoping = .dispatcher
    ) -> any CommandQueryDispatcher {
        container(
            streamHandlers: [
                CountUpHandler.self, WaitForNewsHandler.self, GetLabelsHandler.self, GetContextsHandler.self,
                IsScopeAliveHandler.self,
            ],
            middleware: middleware,
            scoping: scoping,
            journal: journal
        ).resolve()
    }
}

// MARK: - Messages and handlers

private struct Miscount: Error {
    let number: Int
}

private struct CountUp: CQDStreamQuery {
    typealias Element = Int
    var to: Int
    var failingAt: Int?
}

private final class CountUpHandler: HandlesStreamQuery, Resolvable {
    /// Counts, and records its release.
    private final class Counter {
        var last = 0
        let journal: Journal

        init(journal: Journal) {
            self.journal = journal
            journal.record("begun")
        }

        deinit {
            journal.record("closed")
        }
    }

    private let journal: Journal

    init(scope: any DependencyResolutionScope) {
        journal = scope.resolve()
    }

    func handle(_ query: CountUp) async throws -> QueryStream<Int> {
        if query.failingAt == 0 { throw Miscount(number: 0) }
        let counter = Counter(journal: journal)
        return QueryStream {
            if counter.last == query.to { return nil }
            if counter.last + 1 == query.failingAt { throw Miscount(number: counter.last + 1) }
            counter.last += 1
            counter.journal.record("\(counter.last)")
            return counter.last
        }
    }
}

private struct WaitForNews: CQDStreamQuery {
    typealias Element = String
    var begun: AsyncStream<Void>.Continuation
}

private final class WaitForNewsHandler: HandlesStreamQuery, Resolvable {
    private let journal: Journal

    init(scope: any DependencyResolutionScope) {
        journal = scope.resolve()
    }

    func handle(_ query: WaitForNews) async throws -> some AsyncSequence<String, Never> {
        let (news, subscription) = AsyncStream<String>.makeStream(bufferingPolicy: .bufferingNewest(1))
        subscription.onTermination = { [journal] _ in journal.record("unsubscribed") }
        query.begun.yield()
        return news
    }
}

private final class Label {
    var text: String

    init(_ text: String) {
        self.text = text
    }
}

private struct GetLabels: CQDStreamQuery {
    typealias Element = Label
}

private final class GetLabelsHandler: HandlesStreamQuery, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ query: GetLabels) async throws -> QueryStream<Label> {
        var texts = ["b", "a"]
        return QueryStream {
            MainActor.preconditionIsolated()
            return texts.popLast().map { Label($0) }
        }
    }
}

private struct GetContexts: CQDStreamQuery {
    typealias Element = MessageContext?
}

private final class GetContextsHandler: HandlesStreamQuery, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ query: GetContexts) async throws -> QueryStream<MessageContext?> {
        var isFirst = true
        return QueryStream<MessageContext?> {
            defer { isFirst = false }
            return isFirst ? .some(MessageContext.current) : .none
        }
    }
}

private struct IsScopeAlive: CQDStreamQuery {
    typealias Element = Bool
}

private final class IsScopeAliveHandler: HandlesStreamQuery, Resolvable {
    private weak let scope: (any DependencyResolutionScope)?

    init(scope: any DependencyResolutionScope) {
        self.scope = scope
    }

    func handle(_ query: IsScopeAlive) async throws -> QueryStream<Bool> {
        QueryStream { [weak scope] in scope != nil }
    }
}

struct GetNothing: CQDStreamQuery {
    typealias Element = Never
}

/// A dispatcher without stream queries.
private struct TwoMethods: CommandQueryDispatcher {
    func dispatch<T>(_ command: T) async throws where T: CQDCommand {}

    func dispatch<T>(_ query: T) async throws -> T.Value where T: CQDQuery { throw Miscount(number: 0) }
}
