// SPDX-License-Identifier: Apache-2.0

#if Simulations && os(Linux)
import Dispatch
import Foundation
import HeadraceCore
import HeadraceSimulation
import Synchronization
import Testing

@Suite struct EscapeTests {
    @Test func aDateOfTheMachineIsReportedWithItsPlace() async {
        let (_, failure) = await Simulation.search(seeds: 0..<1, entities: [], faults: .none) { _ in _ = Date() }
        let escape = failure?.escapes.first
        #expect(escape?.kind == .realClock)
        #expect(
            escape?.place.contains("EscapeTests.aDateOfTheMachineIsReportedWithItsPlace") == true,
            "\(escape?.place ?? "")")
        #expect(escape?.description.contains("To fix, read 'SystemValues.current.date()'") == true)
    }

    @Test func aClockOfTheMachineIsReported() async {
        await expectEscape(.realClock) { _ in _ = ContinuousClock.now }
    }

    @Test func aRandomUUIDIsReported() async {
        await expectEscape(.realRandomNumbers) { _ in _ = UUID() }
    }

    @Test func aRandomNumberIsReported() async {
        await expectEscape(.realRandomNumbers) { _ in _ = Int.random(in: 0...9) }
    }

    @Test func aSleepOfTheRuntimeIsReported() async {
        await expectEscape(.realSleep) { _ in try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test func aBlockedThreadIsReported() async {
        await expectEscape(.blocking) { _ in usleep(1) }
        await expectEscape(.blocking) { _ in block() }
    }

    @Test func aResumptionByAnotherThreadIsReported() async {
        let thread = Courier()
        await expectEscape(.foreignThread) { _ in
            // The task begins when this one waits. A resumption before that would come from nowhere.
            await withCheckedContinuation { continuation in Task { thread.run { continuation.resume() } } }
        }
        thread.end()
    }

    @Test func anAllowedEscapeIsNoFailure() async throws {
        try await Simulation.run(seed: 1, entities: [], faults: .none, allowing: [.realClock]) { _ in _ = Date() }
    }

    private func expectEscape(
        _ kind: SimulationEscape.Kind, location: SourceLocation = #_sourceLocation,
        _ body: @escaping @Sendable (SimulatedWorld) async throws -> Void
    ) async {
        let (_, failure) = await Simulation.search(seeds: 0..<1, entities: [], faults: .none, body)
        #expect(
            failure?.escapeKinds.contains(kind) == true, "\(failure?.reasons ?? ["no failure"])",
            sourceLocation: location)
    }
}

/// A thread that waits for work, so that it starts at once even when all threads of the pool are busy.
private final class Courier: Sendable {
    private let work = Mutex<(@Sendable () -> Void)?>(nil)
    private let signal = DispatchSemaphore(value: 0)

    init() {
        Thread.detachNewThread { [self] in
            signal.wait()
            work.withLock(\.self)?()
        }
    }

    func run(_ work: @escaping @Sendable () -> Void) {
        self.work.withLock { $0 = work }
        signal.signal()
    }

    /// Ends the thread if it has had no work.
    func end() {
        signal.signal()
    }
}

private func block() {
    _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(1))
}
#endif
