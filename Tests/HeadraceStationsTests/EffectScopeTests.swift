// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HeadraceStations

@Suite(.timeLimit(.minutes(2))) struct EffectScopeTests {
    /// A scope with a task that runs until it is cancelled.
    private func makeRunningScope(within parent: EffectScope) -> (scope: EffectScope, task: Task<Void, Never>) {
        let scope = EffectScope(within: parent)
        let task = Task { await CancellableGate().wait() }
        scope.attach(task)
        return (scope, task)
    }

    @Test func cancellingAScopeCancelsAllScopesAndTasksBelowIt() async {
        let root = EffectScope(within: nil)
        let actions = (0..<3).map { _ in EffectScope(within: root) }
        let effects = actions.flatMap { action in (0..<3).map { _ in makeRunningScope(within: action) } }
        #expect(root.taskCount == 9)

        actions[1].cancel()

        #expect(actions.map(\.isCancelled) == [false, true, false])
        #expect(effects.map(\.scope.isCancelled) == (0..<9).map { (3..<6).contains($0) })
        root.cancel()
        #expect(effects.allSatisfy { !$0.scope.isActive })
        for effect in effects { await effect.task.value }
    }

    @Test func aScopeThatIsCreatedBelowACancelledScopeIsCancelled() async {
        let root = EffectScope(within: nil)
        let action = EffectScope(within: root)
        root.cancel()

        let (scope, task) = makeRunningScope(within: action)

        #expect(action.isCancelled)
        #expect(scope.isCancelled)
        await task.value
    }

    @Test func anEndedScopeIsRemovedFromItsParentAndReleased() async {
        let root = EffectScope(within: nil)
        weak var released: EffectScope?
        do {
            let scopes = (0..<3).map { _ in makeRunningScope(within: root) }
            released = scopes[2].scope
            for (scope, task) in scopes {
                scope.end()
                #expect(!scope.isActive)
                #expect(!scope.isCancelled)
                task.cancel()
                await task.value
            }
        }

        #expect(released == nil)
        #expect(root.taskCount == 0)
    }

    @Test func aScopeThatIsAddedWhileItsParentIsCancelledIsCancelled() async {
        for _ in 0..<2_000 {
            let root = EffectScope(within: nil)
            async let cancelling: Void = Task.detached { root.cancel() }.value
            async let adding = Task.detached { (0..<4).map { _ in EffectScope(within: root) } }.value

            let scopes = await adding
            await cancelling

            #expect(scopes.allSatisfy { $0.isCancelled })
        }
    }
}
