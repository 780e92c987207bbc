// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import HeadraceStations

@Suite(.timeLimit(.minutes(2))) struct EffectNodeTests {
    /// A node with a task that runs until it is cancelled.
    private func makeRunningNode(within parent: EffectNode) -> (node: EffectNode, task: Task<Void, Never>) {
        let node = EffectNode(within: parent)
        let task = Task { await CancellableGate().wait() }
        node.attach(task)
        return (node, task)
    }

    @Test func cancellingANodeCancelsAllNodesAndTasksBelowIt() async {
        let root = EffectNode(within: nil)
        let actions = (0..<3).map { _ in EffectNode(within: root) }
        let effects = actions.flatMap { action in (0..<3).map { _ in makeRunningNode(within: action) } }
        #expect(root.taskCount == 9)

        actions[1].cancel()

        #expect(actions.map(\.isCancelled) == [false, true, false])
        #expect(effects.map(\.node.isCancelled) == (0..<9).map { (3..<6).contains($0) })
        root.cancel()
        #expect(effects.allSatisfy { !$0.node.isActive })
        for effect in effects { await effect.task.value }
    }

    @Test func aNodeThatIsCreatedBelowACancelledNodeIsCancelled() async {
        let root = EffectNode(within: nil)
        let action = EffectNode(within: root)
        root.cancel()

        let (node, task) = makeRunningNode(within: action)

        #expect(action.isCancelled)
        #expect(node.isCancelled)
        await task.value
    }

    @Test func anEndedNodeIsRemovedFromItsParentAndReleased() async {
        let root = EffectNode(within: nil)
        weak var released: EffectNode?
        do {
            let nodes = (0..<3).map { _ in makeRunningNode(within: root) }
            released = nodes[2].node
            for (node, task) in nodes {
                node.end()
                #expect(!node.isActive)
                #expect(!node.isCancelled)
                task.cancel()
                await task.value
            }
        }

        #expect(released == nil)
        #expect(root.taskCount == 0)
    }

    @Test func aNodeThatIsAddedWhileItsParentIsCancelledIsCancelled() async {
        for _ in 0..<2_000 {
            let root = EffectNode(within: nil)
            async let cancelling: Void = Task.detached { root.cancel() }.value
            async let adding = Task.detached { (0..<4).map { _ in EffectNode(within: root) } }.value

            let nodes = await adding
            await cancelling

            #expect(nodes.allSatisfy { $0.isCancelled })
        }
    }
}
