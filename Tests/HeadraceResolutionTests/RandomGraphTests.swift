// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import HeadraceResolution
import Synchronization
import Testing

/// Resolution of random graphs of 200 types behaves as `validate()` predicts.
@Suite struct RandomGraphTests {
    @Test(arguments: 0..<50 as Range<UInt64>)
    func resolutionMeetsTheMissingAndCaptiveTypesOfValidation(seed: UInt64) throws {
        let graph = RandomGraph(seed: seed, cycles: false)
        let builder = graph.builder()

        let error = try #require(throws: CompositionError.self) { try builder.validate() }
        let container = builder.build()
        let found = graph.plans.indices.map { graph.tryResolve($0, from: container) }

        let seen = graph.seen.withLock(\.self)
        #expect(found == graph.plans.map(\.isRegistered))
        #expect(Self.ends(of: error, .missing) { $0.suffix(2) } == seen.misses)
        #expect(Self.ends(of: error, .captive) { [$0.first, $0.last].compactMap(\.self) } == seen.captives)
        #expect(Set(error.problems.map(\.kind)).isSubset(of: [.missing, .captive]))
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func aValidGraphIsCreatedCompletelyFromAnyScope(seed: UInt64) throws {
        let graph = RandomGraph(soundSeed: seed)
        let builder = graph.builder()

        try builder.validate()
        let container = builder.build()
        try container.validate()
        let found = [container, container.scope()].map { (resolver: any DependencyResolver) in
            graph.plans.indices.filter { !graph.tryResolve($0, from: resolver) }
        }

        let seen = graph.seen.withLock(\.self)
        #expect(found == [[], []])
        #expect(seen.misses.isEmpty && seen.captives.isEmpty)
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func aTypeRemovedFromAValidGraphIsTheOnlyMissingType(seed: UInt64) throws {
        let graph = RandomGraph(soundSeed: seed)
        let needed = graph.plans.flatMap(\.needs).filter { !$0.isOptional }.map(\.number)
        let missing = try #require(needed.isEmpty ? nil : needed[Int(seed) % needed.count])

        let error = try #require(throws: CompositionError.self) { try graph.without(missing).builder().validate() }

        #expect(error.problems.allSatisfy { $0.kind == .missing })
        #expect(Set(error.problems.compactMap { $0.path.last.flatMap { RandomGraph.number(of: $0) } }) == [missing])
    }

    @Test(arguments: 0..<50 as Range<UInt64>)
    func everyStepOfACycleIsADependencyAndTheLastTypeIsTheFirst(seed: UInt64) throws {
        let graph = RandomGraph(seed: seed, cycles: true)

        let error = try #require(throws: CompositionError.self) { try graph.builder().validate() }

        for problem in error.problems where problem.kind == .cyclic {
            let circle = problem.path.compactMap { RandomGraph.number(of: $0) }
            #expect(circle.count == problem.path.count && circle.count > 1 && circle.first == circle.last)
            for (number, next) in zip(circle, circle.dropFirst()) {
                #expect(graph.plans[number].needs.contains { $0.number == next })
            }
        }
    }

    @Test func typesWithoutACycleAreCreatedAndATypeOnACycleStopsTheProgram() async {
        // An exit test can't capture values, so each seed has its own process.
        let results = [
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                Self.createAllButCyclesThenOneOnACycle(seed: 1)
            },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                Self.createAllButCyclesThenOneOnACycle(seed: 2)
            },
            await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
                Self.createAllButCyclesThenOneOnACycle(seed: 3)
            },
        ]

        for result in results {
            #expect(result.wroteToStandardError("the rest is made"))
            #expect(result.wroteToStandardError("depends on itself"))
        }
    }

    /// Creates all types that don't lead to a cycle of `validate()`, then a type on a cycle.
    private static func createAllButCyclesThenOneOnACycle(seed: UInt64) {
        let graph = RandomGraph(seed: seed, cycles: true)
        guard case let error? = #expect(throws: CompositionError.self, performing: { try graph.builder().validate() })
        else { exit(EXIT_SUCCESS) }
        let cyclic = error.problems.filter { $0.kind == .cyclic }
            .map { $0.path.compactMap { RandomGraph.number(of: $0) } }
        var reaching = Set(cyclic.joined())
        var count = 0
        while count != reaching.count {
            count = reaching.count
            for (number, plan) in graph.plans.enumerated() where plan.isRegistered {
                if plan.needs.contains(where: { reaching.contains($0.number) }) { reaching.insert(number) }
            }
        }
        let container = graph.builder().build()
        for number in graph.plans.indices where !reaching.contains(number) {
            _ = graph.tryResolve(number, from: container)
        }
        FileHandle.standardError.write(Data("the rest is made, \(200 - count) of 200\n".utf8))
        guard let first = cyclic.first?.first else { exit(EXIT_SUCCESS) }
        _ = graph.tryResolve(first, from: container)
    }

    private static func ends(
        of error: CompositionError,
        _ kind: CompositionProblem.Kind,
        _ part: ([Int]) -> [Int]
    ) -> Set<[Int]> {
        Set(error.problems.filter { $0.kind == kind }.map { part($0.path.compactMap { RandomGraph.number(of: $0) }) })
    }
}

/// Two containers whose factories resolve from one another.
@Suite struct TwoContainersTests {
    /// Thread one creates Alpha in the first container and needs Beta of the second.
    ///
    /// Thread two creates Beta and needs Alpha.
    @Test(.timeLimit(.minutes(5)))
    func aCycleAcrossContainersIsReportedAndNotADeadlock() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let alphaBegan = DispatchSemaphore(value: 0)
            let betaBegan = DispatchSemaphore(value: 0)
            let other = ServiceLocator()
            let one = container { builder in
                builder.singleton { _ in
                    alphaBegan.signal()
                    betaBegan.wait()
                    return Alpha(needs: other.resolve(Container.self).resolve(Beta.self))
                }
            }
            let two = container { builder in
                builder.singleton { _ in
                    betaBegan.signal()
                    alphaBegan.wait()
                    return Beta(needs: one.resolve(Alpha.self))
                }
            }
            other.register(two)
            let bothEnded = DispatchGroup()
            DispatchQueue.global().async(group: bothEnded) { _ = one.resolve(Alpha.self) }
            DispatchQueue.global().async(group: bothEnded) { _ = two.resolve(Beta.self) }
            // In a deadlock, the process exits here with success, and the test fails.
            _ = bothEnded.wait(timeout: .now() + 20)
            exit(EXIT_SUCCESS)
        }

        #expect(result.wroteToStandardError("depends on itself"))
    }
}
