// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceServices
import Testing

/// A store within a given number of services of this type.
private struct NestedService: Service {
    /// Number of levels, including this service.
    let levels: Int
    let journal: Journal
    var stack: StackMeasure?

    /// Three levels: a store with two modifiers.
    static let storeLevels = 3

    var body: some Service {
        let _ = stack?.measure()
        if levels > NestedService.storeLevels + 1 {
            NestedService(levels: levels - 1, journal: journal, stack: stack)
        } else {
            Store(model: Journal.self)
                .mutate(on: Ping.self) { journal, _, _ in journal.note("ping") }
                .with(model: journal)
        }
    }
}

/// A service that contains itself twice.
private struct EndlessService: Service {
    var body: some Service {
        EndlessService()
        EndlessService()
    }
}

/// A service whose type names its content.
private struct NestingFrame<Content: Service>: Service {
    let content: Content

    var body: some Service { content }
}

/// A leaf, which has four levels, with `times` modifiers.
@MainActor
private func watchedLeaf(_ journal: Journal, times: Int) -> any Service {
    func watched(_ service: some Service) -> any Service { service.pre { _ in } }
    var service: any Service = Leaf("leaf", journal)
    for _ in 0..<times { service = watched(service) }
    return service
}

/// A leaf within frames that have three levels each.
@MainActor
private func framedLeaf(_ journal: Journal, frames: Int) -> any Service {
    func framed(_ service: some Service) -> any Service {
        NestingFrame(content: service.observe { _ in }.transformError { Recovery(name: "\($0)") })
    }
    var service: any Service = Leaf("leaf", journal)
    for _ in 0..<frames { service = framed(service) }
    return service
}

/// Trees with many levels.
@Suite(.timeLimit(.minutes(2))) struct DepthTests {
    /// The documented limit.
    private let limit = 256
    private let journal = Journal()

    private func refusal(_ service: @escaping @Sendable @MainActor () -> any Service) async throws -> ServiceTreeProblem
    {
        let error = await #expect(throws: ServiceTreeError.self) {
            _ = try await Bootstrap { [service()] }
        }
        #expect(error?.problems.count == 1)
        return try #require(error?.problems.first)
    }

    @Test func aTreeAtTheLimitIsRead() async throws {
        let (limit, journal) = (limit, journal)
        let cluster = try await Bootstrap { NestedService(levels: limit, journal: journal) }

        try await cluster.send(action: Ping())

        #expect(journal.entries == ["ping"])
    }

    @Test func oneLevelMoreIsRefusedWithTheServiceThatContainsItself() async throws {
        let (limit, journal) = (limit, journal)
        let problem = try await refusal { NestedService(levels: limit + 1, journal: journal) }

        #expect(problem.kind == .tooDeep)
        #expect(problem.path == ["NestedService"])
        #expect(
            problem.message == """
                The tree of services has more than 256 levels of services, groups and modifiers. These services \
                contain themselves: 'HeadraceServicesTests.NestedService' (254 times). To fix, end the recursion in 'body', \
                or put services next to each other in a 'Group' instead of nesting them.
                """
        )
    }

    @Test func aHundredThousandLevelsAreRefused() async throws {
        let journal = journal
        let problem = try await refusal { NestedService(levels: 100_000, journal: journal) }

        #expect(problem.kind == .tooDeep)
        #expect(problem.path == ["NestedService"])
    }

    @Test func aServiceThatContainsItselfEndlesslyIsRefused() async throws {
        let problem = try await refusal { EndlessService() }

        #expect(problem.kind == .tooDeep)
        #expect(problem.path == ["EndlessService"])
    }

    @Test func modifiersCountAsLevels() async throws {
        let journal = journal
        // The leaf itself has four levels.
        let cluster = try await Bootstrap { [watchedLeaf(journal, times: 252)] }
        try await cluster.send(action: Ping())
        let problem = try await refusal { watchedLeaf(journal, times: 253) }

        #expect(journal.entries == ["leaf"])
        #expect(problem.path.isEmpty)
        #expect(
            problem.message == """
                The tree of services has more than 256 levels of services, groups and modifiers. To fix, put services \
                next to each other in a 'Group' instead of nesting them.
                """
        )
    }

    /// Printing the name of such a type would overflow any stack.
    @Test(arguments: [false, true]) @MainActor
    func typesNestedTenThousandTimesAreRefusedWithoutPrintingTheirNames(transforms: Bool) async throws {
        func framed(_ service: some Service) -> any Service { NestingFrame(content: service) }
        func transformed(_ service: some Service) -> any Service {
            // Nothing handles this action; that is a problem, too, if the tree isn't too deep.
            NestingFrame(content: service.transformError { Recovery(name: "\($0)") })
        }
        var service: any Service = Group {}
        for _ in 0..<10_000 { service = framed(service) }
        if transforms { service = transformed(service) }

        let tree = service
        let error = await #expect(throws: ServiceTreeError.self) { _ = try await Bootstrap { [tree] } }

        #expect(error?.problems.map(\.kind) == [.tooDeep])
        #expect(error?.problems.first?.path == [])
    }

    @Test func readingTheDeepestServiceUsesNoMoreStackThanReadingTheFirst() async throws {
        let (limit, journal, stack) = (limit, journal, StackMeasure())
        let cluster = try await Bootstrap { NestedService(levels: limit, journal: journal, stack: stack) }

        #expect(stack.count == limit - NestedService.storeLevels)
        #expect(stack.depth < 4096)
        withExtendedLifetime(cluster) {}
    }

    @Test func aTreeAtTheLimitWorksAndIsDrawnAndFreedOnASmallStack() async throws {
        let (limit, journal) = (limit, journal)
        let lines = try await SmallStackExecutor.run {
            let cluster = try await Bootstrap { [framedLeaf(journal, frames: (limit - 4) / 3)] }
            try await cluster.send(action: Ping())
            try await cluster.send(action: Unheard())
            try cluster.validate()
            return cluster.graph.mermaid.split(separator: "\n").count + cluster.graph.dot.split(separator: "\n").count
        }

        #expect(journal.entries == ["leaf"])
        // A service and an arrow for each of 84 frames, twice.
        #expect(lines >= 4 * 84)
    }
}
