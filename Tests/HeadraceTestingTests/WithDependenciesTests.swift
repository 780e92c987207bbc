// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceResolution
import HeadraceTesting
import Testing

@Suite struct WithDependenciesTests {
    private let application: Container = {
        let builder = ContainerBuilder()
        builder.singleton { Label("application") }
        builder.singleton { Visits() }
        builder.commandQueryDispatch().standard(queryHandlers: [ReadLabelHandler.self])
        return builder.build()
    }()

    @Test func replacementsApplyToTheContainerAndToTheCurrentContainer() async {
        await application.withDependencies { builder in
            builder.singleton { Label("test") }
        } operation: { container in
            #expect(container.resolve(Label.self).text == "test")
            #expect(Container.current.resolve(Label.self) === container.resolve(Label.self))
            #expect(await Task { Container.current.resolve(Label.self).text }.value == "test")
        }
        application.withDependencies { builder in
            builder.singleton { Label("test") }
        } operation: { container in
            #expect(container.resolve(Label.self).text == "test")
            #expect(Container.current.resolve(Label.self) === container.resolve(Label.self))
        }

        #expect(application.resolve(Label.self).text == "application")
    }

    @Test func handlersReceiveTheReplacements() async throws {
        let read = try await application.withDependencies { builder in
            builder.singleton { Label("test") }
        } operation: { container in
            try await container.resolve((any CommandQueryDispatcher).self).dispatch(ReadLabel())
        }

        #expect(read == "test")
    }

    @Test func aNestedReplacementEndsWithItsOperation() async {
        await application.withDependencies { builder in
            builder.singleton { Label("outer") }
        } operation: { outer in
            await outer.withDependencies { builder in
                builder.singleton { Label("inner") }
            } operation: { _ in
                #expect(await Task { Container.current.resolve(Label.self).text }.value == "inner")
            }
            #expect(Container.current.resolve(Label.self) === outer.resolve(Label.self))
        }
    }

    @Test func errorsAreRethrownAndEndTheReplacement() async {
        struct Refused: Error {}

        await application.withCurrent {
            #expect(throws: Refused.self) {
                try application.withDependencies { _ in
                    throw Refused()
                } operation: { _ in
                }
            }
            await #expect(throws: Refused.self) {
                try await application.withDependencies {
                    $0.singleton { Label("test") }
                } operation: { container in
                    _ = try await container.resolve((any CommandQueryDispatcher).self).dispatch(ReadLabel())
                    throw Refused()
                }
            }
            #expect(Container.current.resolve(Label.self) === application.resolve(Label.self))
        }
    }

    @Test func parallelTestsDoNotShareReplacements() async throws {
        let reports = try await withThrowingTaskGroup(of: Report.self) { group in
            for number in 0..<1_000 {
                group.addTask { try await report(of: number) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(reports.count == 1_000)
        #expect(reports.allSatisfy { $0.labels == ["\($0.number)"] })
        // Each container has its own singletons, including those that the tests don't replace.
        #expect(Set(reports.map { ObjectIdentifier($0.visits) }).count == 1_000)
        #expect(application.resolve(Label.self).text == "application")
    }

    @Test @MainActor func theOperationStaysOnTheCallersActor() async {
        let isKept = await application.withDependencies { _ in
        } operation: {
            await isOnMainActor(with: $0)
        }
        let isKeptByAFunction = await application.withDependencies({ _ in }, operation: isOnMainActor(with:))

        #expect(isKept)
        #expect(isKeptByAFunction)
    }

    /// Resolves the label in every possible way, with suspensions in between.
    private func report(of number: Int) async throws -> Report {
        try await application.withDependencies { builder in
            builder.singleton { Label("\(number)") }
        } operation: { container in
            var labels: Set<String> = []
            for _ in 0..<3 {
                labels.insert(container.resolve(Label.self).text)
                labels.insert(Container.current.resolve(Label.self).text)
                labels.insert(await Task { Container.current.resolve(Label.self).text }.value)
                labels.insert(try await container.resolve((any CommandQueryDispatcher).self).dispatch(ReadLabel()))
            }
            return Report(number: number, labels: labels, visits: container.resolve())
        }
    }
}

// MARK: - Fixtures

private final class Label: Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }
}

private final class Visits: Sendable {}

private struct Report: Sendable {
    let number: Int
    let labels: Set<String>
    let visits: Visits
}

private struct ReadLabel: CQDQuery {
    typealias Value = String
}

private struct ReadLabelHandler: HandlesQuery, Resolvable {
    private let label: Label

    init(scope: any DependencyResolutionScope) {
        label = scope.resolve()
    }

    func handle(_ query: ReadLabel) async throws -> String { label.text }
}

/// A function, because a closure in a main-actor test inherits the isolation.
private nonisolated(nonsending) func isOnMainActor(with container: Container) async -> Bool {
    #isolation === MainActor.shared
}
