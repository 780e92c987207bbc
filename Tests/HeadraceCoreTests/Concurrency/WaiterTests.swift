// SPDX-License-Identifier: Apache-2.0

import HeadraceTesting
import Testing

@testable import HeadraceCore

@Suite(.timeLimit(.minutes(1))) struct WaiterTests {
    @Test func aWaitEndsOnceAndTheTaskReceivesThatResult() async throws {
        let waiter = Waiter<Int>()
        #expect(waiter.result == nil)

        // The task suspends itself after the end of its wait.
        try #require(waiter.end(with: .success(1))).resume()

        #expect(waiter.end(with: .success(2)) == nil)
        #expect(try await waiter.value() == 1)
        #expect(try await Waiter(endedWith: 3).value() == 3)
    }

    @Test func aCancelledTaskEndsItsWaitUnlessItIgnoresCancellation() async throws {
        let executor = TestExecutor(seed: nil)
        let (waiter, patient) = (Waiter<Int>(), Waiter<Int>())
        let tasks = [
            Task(executorPreference: executor) { try await waiter.value() },
            Task(executorPreference: executor) { try await patient.valueRegardless() },
        ]
        await executor.idle()

        for task in tasks { task.cancel() }

        await #expect(throws: CancellationError.self) { try await tasks[0].value }
        #expect(waiter.end(with: .success(1)) == nil)
        try #require(patient.end(with: .success(2))).resume()
        #expect(try await tasks[1].value == 2)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func aRandomHistoryOfAQueueEndsTheSameWaitsAsAnArray(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var queue = WaiterQueue<Int, Int>()
        var model: [(number: Int, waiter: Waiter<Int>)] = []

        for number in 0..<2_000 {
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<45:
                model.append((number, queue.append(number)))
            case 45..<70:
                let first = model.isEmpty ? nil : model.removeFirst()
                #expect((queue.endFirst(with: number) != nil) == (first != nil))
                #expect(try first?.waiter.result?.get() == first.map { _ in number })
            case 70..<97:
                guard let index = model.indices.randomElement(using: &generator) else { continue }
                #expect(model.remove(at: index).waiter.end(with: .failure(CancellationError())) != nil)
            default:
                let isOdd = Bool.random(using: &generator)
                let met = model.filter { ($0.number % 2 == 1) == isOdd }
                #expect(queue.endAll(with: .success(number)) { ($0 % 2 == 1) == isOdd }.count == met.count)
                for (_, waiter) in met { #expect(try waiter.result?.get() == number) }
                model.removeAll { ($0.number % 2 == 1) == isOdd }
            }
            #expect(queue.lastCondition == model.last?.number)
        }
        #expect(model.allSatisfy { $0.waiter.result == nil })
    }
}
