// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceTesting
import MiddlewareTestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct OneShotTests {
    private let executor = TestExecutor(seed: nil)
    private let result = OneShot<Int>()

    private func wait() -> Task<Int, any Error> {
        Task(executorPreference: executor) { [result] in try await result.wait() }
    }

    @Test func allWaitersReceiveTheValueBeforeAndAfterItIsSet() async throws {
        let early = [wait(), wait()]
        await executor.idle()
        #expect(result.value == nil)

        result.set(1)
        let late = wait()

        for task in early + [late] { #expect(try await task.value == 1) }
        #expect(result.value == 1)
    }

    @Test func onlyTheFirstValueCounts() async throws {
        #expect(result.set(1))
        #expect(!result.set(2))

        #expect(try await result.wait() == 1)
    }

    @Test func aCancelledWaiterThrowsAndTheOthersStillReceiveTheValue() async throws {
        let tasks = [wait(), wait()]
        await executor.idle()

        tasks[0].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[0].value }
        result.set(1)

        #expect(try await tasks[1].value == 1)
    }

    @Test func aCancelledTaskStillReceivesAValueThatIsSet() async throws {
        result.set(1)
        let gate = Gate()
        let task = Task { [result] in
            await gate.pass()
            return try await result.wait()
        }
        task.cancel()
        gate.open()

        #expect(try await task.value == 1)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func underContentionOneValueWinsAndEveryWaiterEnds(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let result = OneShot<Int>()
        let winners = Journal()

        await withTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                let kind = Int.random(in: 0..<10, using: &generator)
                group.addTask {
                    if kind == 0 || number == 59 {
                        if result.set(number) { winners.note("\(number)") }
                        return
                    }
                    let work = Task { try await result.wait() }
                    if kind < 3 { work.cancel() }
                    switch await work.result {
                    case .success(let value): #expect(value == result.value)
                    case .failure(let error): #expect(error is CancellationError)
                    }
                }
            }
        }

        #expect(winners.entries == result.value.map { ["\($0)"] })
    }
}
