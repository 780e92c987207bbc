// SPDX-License-Identifier: Apache-2.0

import HeadraceTesting
import Synchronization
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

    @Test func nodesAreCancelledInTheOrderOfTheirCreation() async {
        let (root, gate) = (EffectNode(within: nil), CancellableGate())
        let (order, arrived) = (CancellationOrder(), ConditionVariable(0))
        // A task that left the gate by its own cancellation could remove its handler before it is called.
        let opening = Task { await gate.wait() }
        var tasks: [Task<Void, Never>] = []
        for number in 0..<40 {
            let node = EffectNode(within: root)
            let task = Task {
                await withTaskCancellationHandler {
                    arrived.change { $0 += 1 }
                    await opening.value
                } onCancel: {
                    order.numbers.withLock { $0.append(number) }
                }
            }
            node.attach(task)
            tasks.append(task)
        }
        await arrived.wait { $0 == 40 }

        root.cancel()

        #expect(order.numbers.withLock(\.self) == Array(0..<40))
        gate.open()
        for task in tasks { await task.value }
    }

    @Test func theEffectsOfAChildAreCancelledInTheOrderOfTheirBeginnings() {
        let (root, namespace) = (EffectNode(within: nil), EffectNamespace())
        var order: [Int] = []
        func begin(_ number: Int, in namespace: EffectNamespace) {
            _ = namespace.makeNode(EffectID(number), within: root)
            let queued = QueuedEffect(begin: {}, drop: { order.append(number) })
            _ = namespace.enqueue(queued, under: EffectID(number), limit: 1)
        }
        for number in 0..<20 { begin(number, in: namespace.child(ChildKey(number: 1, element: number))) }
        for number in 20..<40 { begin(number, in: namespace) }

        namespace.cancelAll()

        #expect(order == Array(0..<40))
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

private final class CancellationOrder: Sendable {
    let numbers = Mutex<[Int]>([])
}
