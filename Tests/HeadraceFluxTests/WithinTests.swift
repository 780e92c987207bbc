// SPDX-License-Identifier: Apache-2.0

import HeadraceFlux
import HeadraceTesting
import Testing

/// Dispatching inside an action, which never causes a deadlock.
@Suite(.timeLimit(.minutes(2))) struct WithinTests {
    @Test func awaitedInnerActionsRunInPlaceBeforeWaitingActions() async throws {
        let ledger = Ledger()
        let (gate, busy) = await ledger.occupy()
        let tasks = await ledger.enqueue([
            Perform { ledger in
                await ledger.execute(Note("first"))
                await ledger.dispatch(Note("second"))
                ledger.note("outer")
            },
            Perform { $0.note("next") },
        ])

        gate.open()
        for task in tasks + [busy] { try await task.value }

        #expect(ledger.entries == ["first", "second", "outer", "next"])
    }

    @Test func actionsQueuedByAnActionRunAfterItAndAfterWaitingActions() async throws {
        let ledger = Ledger()
        let (gate, busy) = await ledger.occupy()
        let tasks = await ledger.enqueue([
            Perform { ledger in
                ledger.queue(Note("queued"))
                ledger.note("outer")
            },
            Perform { $0.note("next") },
        ])

        gate.open()
        for task in tasks + [busy] { try await task.value }
        try await ledger.drain()

        #expect(ledger.entries == ["outer", "next", "queued"])
    }

    @Test func actionsMayBeNestedDeeply() async throws {
        let ledger = Ledger()
        @Sendable func nested(_ depth: Int) -> Perform {
            Perform { ledger in
                if depth > 0 { try await ledger.dispatch(nested(depth - 1)) as Void }
                ledger.note("\(depth)")
            }
        }

        try await ledger.dispatch(nested(200)) as Void

        #expect(ledger.entries == (0...200).map { "\($0)" })
    }

    @Test func actionsOfChildTasksRunWithinTheActionOneAtATime() async throws {
        let ledger = Ledger()

        try await ledger.dispatch(
            Perform { ledger in
                await withTaskGroup(of: Void.self) { group in
                    for number in 0..<100 {
                        group.addTask { await ledger.dispatch(Note("\(number)", suspensions: 3)) }
                    }
                }
                async let last = ledger.dispatch(Note("last"))
                _ = await last
            }
        ) as Void

        #expect(ledger.entries.count == 101)
        #expect(ledger.entries.last == "last")
        #expect(ledger.overlaps == 0)
    }

    @Test func actionsOfNestedChildTasksRunWithinTheirParents() async throws {
        let ledger = Ledger()
        @Sendable func forking(_ depth: Int) -> Perform {
            Perform { ledger in
                ledger.note("")
                guard depth > 0 else { return }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<3 { group.addTask { try await ledger.dispatch(forking(depth - 1)) as Void } }
                    try await group.waitForAll()
                }
            }
        }

        try await ledger.dispatch(forking(5)) as Void

        // 1 + 3 + 9 + 27 + 81 + 243
        #expect(ledger.entries.count == 364)
    }

    @Test func anActionOfAnUnawaitedTaskEndsBeforeTheNextActionBegins() async throws {
        let ledger = Ledger()
        let gate = Gate()
        try await ledger.dispatch(
            Perform { ledger in
                Task {
                    try await ledger.dispatch(
                        Perform { _ in
                            await gate.pass(); ledger.note("left behind")
                        }) as Void
                }
                await gate.arrivals(1)
            }
        ) as Void

        let next = Task { await ledger.dispatch(Note("next")) }
        await ledger.pipeline.waitForQueuedActions(1)
        #expect(ledger.entries == [])
        gate.open()
        _ = await next.value

        #expect(ledger.entries == ["left behind", "next"])
    }

    @Test func anActionOfATaskThatOutlivesItsActionWaitsForItsTurn() async throws {
        let ledger = Ledger()
        let gate = Gate()
        let (leftBehind, started) = AsyncStream.makeStream(of: Task<Void, Never>.self)
        try await ledger.dispatch(
            Perform { ledger in
                started.yield(
                    Task {
                        await gate.pass()
                        await ledger.dispatch(Note("left behind"))
                    }
                )
            }
        ) as Void
        let (occupied, busy) = await ledger.occupy()
        let waiting = await ledger.enqueue([Note("waiting")])
        var iterator = leftBehind.makeAsyncIterator()
        let task = await iterator.next()

        gate.open()
        await ledger.pipeline.waitForQueuedActions(2)
        occupied.open()
        for task in waiting + [busy] { try await task.value }
        await task?.value

        #expect(ledger.entries == ["waiting", "left behind"])
    }

    @Test func twoDispatchersMayDispatchToEachOther() async throws {
        let (one, other) = (Ledger(), Ledger())

        try await one.dispatch(
            Perform { one in
                try await other.dispatch(
                    Perform { other in
                        await one.dispatch(Note("back"))
                        other.note("there")
                    }
                ) as Void
                one.note("here")
            }
        ) as Void

        #expect(one.entries == ["back", "here"])
        #expect(other.entries == ["there"])
    }

    @Test func aChainOfActionsThatStartEachOtherKeepsNoMemory() async throws {
        let freed: ConditionVariable<Bool>
        do {
            let kept = Ledger()
            freed = kept.freed
            @Sendable func chained(_ count: Int) -> Perform {
                Perform { ledger in
                    if count > 0 { ledger.queue(chained(count - 1)) } else { ledger.note("last") }
                }
            }
            kept.queue(chained(10_000))
            try await kept.drain()
            #expect(kept.entries == ["last"])
        }
        await freed.wait { $0 }
        #expect(freed.value)
    }
}
