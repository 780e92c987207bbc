// SPDX-License-Identifier: Apache-2.0

import HeadraceTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct ConditionVariableTests {
    private let variable = ConditionVariable(0)
    private let executor = TestExecutor(seed: nil)

    private func waiting(for value: Int) -> Task<Int, Never> {
        let variable = variable
        return Task(executorPreference: executor) {
            await variable.wait { $0 >= value }
            return variable.value
        }
    }

    @Test func aChangeResumesTheTasksWhoseConditionIsMet() async {
        let tasks = (1...2).map { waiting(for: $0) }
        await executor.idle()

        variable.change { $0 = 1 }
        #expect(await tasks[0].value == 1)
        variable.change { $0 = 5 }

        #expect(await tasks[1].value == 5)
    }

    @Test func waitingForAMetConditionReturnsAtOnce() async {
        await variable.wait { $0 == 0 }

        #expect(variable.value == 0)
    }

    @Test(arguments: [false, true])
    func cancellationEndsAWait(isWaiting: Bool) async {
        let task = waiting(for: 1)
        if isWaiting { await executor.idle() }

        task.cancel()

        #expect(await task.value == 0)
    }
}
