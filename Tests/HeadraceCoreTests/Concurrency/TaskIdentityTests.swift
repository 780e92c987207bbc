// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceTesting
import MiddlewareTestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct TaskIdentityTests {
    private nonisolated(nonsending) func inInterruptibleChild<Output>(
        _ operation: nonisolated(nonsending) () async throws -> Output
    ) async throws -> Output {
        let clock = TestClock()
        let end = clock.now.advanced(by: .seconds(1))
        let outcome = await withInterruptibleChild(until: end, on: clock, operation)
        guard case .ended(let result) = outcome else { throw Failure() }
        return try result.get()
    }

    @Test func aTaskHasOneIdentity() async {
        let identity = TaskIdentity.current

        await Gate.opened.pass()

        #expect(TaskIdentity.current == identity)
    }

    @Test func otherTasksHaveOtherIdentities() async {
        let identity = TaskIdentity.current

        async let child = TaskIdentity.current
        let unstructured = Task { TaskIdentity.current }

        #expect(await child != identity)
        #expect(await unstructured.value != identity)
    }

    @Test func anInterruptibleChildHasTheIdentityOfItsParentAndSoHasItsOwnChild() async throws {
        let identity = TaskIdentity.current

        try await inInterruptibleChild {
            #expect(TaskIdentity.current == identity)
            try await inInterruptibleChild { #expect(TaskIdentity.current == identity) }
            #expect(TaskIdentity.current == identity)
        }

        #expect(TaskIdentity.current == identity)
    }

    @Test func otherChildrenOfAnInterruptibleChildHaveOtherIdentities() async throws {
        let identity = TaskIdentity.current

        try await inInterruptibleChild {
            async let child = TaskIdentity.current
            let unstructured = Task { TaskIdentity.current }
            #expect(await child != identity)
            #expect(await unstructured.value != identity)
            #expect(await child != unstructured.value)
        }
    }

    @Test func anAtomicScopeIncludesItsTaskAndInterruptibleChildren() async throws {
        #expect(!CurrentUnitOfWork.isCurrent)

        try await CurrentUnitOfWork.run {
            #expect(CurrentUnitOfWork.isCurrent)
            try await inInterruptibleChild { #expect(CurrentUnitOfWork.isCurrent) }
            async let child = CurrentUnitOfWork.isCurrent
            #expect(await !child)
        }

        #expect(!CurrentUnitOfWork.isCurrent)
    }
}
