//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCommands
import HeadraceResolution
import Testing

private protocol Api: Sendable {}

private struct LiveApi: Api {}

private struct Save: CQDCommand {}

private struct StatingHandler: HandlesCommand, Resolvable {
    static var dependencies: Dependencies { Dependencies(of: Self.self).on((any Api).self) }

    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: Save) async throws {}
}

private struct SecondHandler: HandlesCommand, Resolvable {
    static var dependencies: Dependencies { Dependencies(of: Self.self) }

    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: Save) async throws {}
}

/// A handler that dispatches in its turn: not a cycle, as it is made when a message comes.
private struct SendingHandler: HandlesCommand, Resolvable {
    static var dependencies: Dependencies { Dependencies(of: Self.self).on((any CommandQueryDispatcher).self) }

    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: Save) async throws {}
}

@Suite struct CompositionTests {
    private func problems(_ handlers: any (HandlesCommand & Resolvable).Type..., withApi: Bool = true)
        -> [CompositionProblem]
    {
        let builder = ContainerBuilder()
        if withApi { builder.singleton((any Api).self) { LiveApi() } }
        builder.commandQueryDispatch().standard(commandHandlers: handlers)
        do {
            try builder.validate()
            return []
        } catch let error as CompositionError {
            return error.problems
        } catch {
            Issue.record(error)
            return []
        }
    }

    @Test func aCompositionInWhichEveryHandlerFindsWhatItNeedsIsValid() {
        #expect(problems(StatingHandler.self).isEmpty)
    }

    @Test func whatAHandlerNeedsAndNothingGivesIsFoundWithoutADispatch() {
        let problems = problems(StatingHandler.self, withApi: false)

        #expect(problems.map(\.kind) == [.missing])
        #expect(problems.first?.message.contains("Api") == true)
    }

    @Test func twoHandlersOfOneMessageAreNamedWithTheirMessage() {
        let problems = problems(StatingHandler.self, SecondHandler.self)

        #expect(problems.map(\.kind.description) == ["doubledHandler"])
        #expect(problems.first?.message.contains("Save' has 2 handlers") == true)
        #expect(problems.first?.message.contains("To fix, remove the others from 'commandHandlers: […]'") == true)
    }

    @Test func aHandlerThatDispatchesIsNoCycle() {
        #expect(problems(SendingHandler.self).isEmpty)
    }
}
