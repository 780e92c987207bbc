// SPDX-License-Identifier: Apache-2.0

#if os(macOS) || os(Linux)
import Foundation
public import HeadraceCore
import HeadraceDomain
import HeadraceRelay
public import HeadraceStorage
import Synchronization

/// The fault points of a process that a ``CrashTest`` has started.
///
/// Give them to the store and to the domain of the program:
///
/// ```swift
/// configuration.faults = CrashFaults.store
/// ```
///
/// The test chooses the point, and the process ends or stops itself there. A process that no test has started has neither faults
/// nor observers, so the line costs nothing.
public enum CrashFaults {
    private static let trigger = CrashFault(environment: ProcessInfo.processInfo.environment).map { FaultTrigger($0) }

    /// The closure for the configuration of a store; `nil` if no test has started the process.
    public static var store: (@Sendable (FaultPoint) -> Void)? {
        guard let trigger else { return nil }
        return { trigger.pass($0, by: []) }
    }

    /// The observers of units of work for `domain(…)` or for a `DomainEventHandlerRegistrar`, which notice the handlers of the
    /// relay; none if no test has started the process.
    public static var observers: [any MessageObserver] { trigger.map { [$0] } ?? [] }

    /// Passes a point of the program itself.
    public static func pass(_ point: FaultPoint) {
        trigger?.pass(point, by: [])
    }

    /// Writes a line for the check of the test, without a buffer.
    ///
    /// A killed process loses the lines in its buffer, and `print(_:)` has one. Call this for work that a client may rely on from
    /// now on.
    public static func acknowledge(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}

extension FaultPoint {
    /// A relay has a delivery, and its handler hasn't begun.
    public static let beforeHandler = FaultPoint(rawValue: "before-handler")

    /// The handler of a delivery has returned, and its changes are not stored yet.
    public static let afterHandler = FaultPoint(rawValue: "after-handler")

    /// The changes of the handler of a delivery are stored.
    public static let afterHandlerCommit = FaultPoint(rawValue: "after-handler-commit")

    /// The points that the handlers of a relay pass.
    static let ofHandlers: [FaultPoint] = [.beforeHandler, .afterHandler, .afterHandlerCommit]

    /// The points at which the store of the process has no open transaction, so that it locks out no other process.
    static let withoutTransaction: Set<FaultPoint> = [
        .beforeTransaction, .afterCommit, .afterLease, .beforeAcknowledge,
    ]
}

/// The point of one process, in its environment.
package struct CrashFault: Sendable {
    /// The line that the process prints before it stops.
    static let stopLine = "HEADRACE_FAULT: the process stops"

    /// The prefix of the variables.
    static let prefix = "HEADRACE_FAULT_"

    let point: FaultPoint
    let pass: Int
    let handler: String?
    let signal: Int32

    /// Creates a fault at a pass of a point.
    ///
    /// - Parameters:
    ///   - point: The point.
    ///   - pass: Number of the pass, counting from 1.
    ///   - handler: Only passes of this handler count; `nil` for all passes.
    ///   - signal: The signal, SIGKILL or SIGSTOP.
    package init(_ point: FaultPoint, pass: Int, handler: String? = nil, signal: Int32 = SIGKILL) {
        self.point = point
        self.pass = pass
        self.handler = handler
        self.signal = signal
    }

    init?(environment: [String: String]) {
        guard let point = environment[Self.prefix + "POINT"] else { return nil }
        self.init(
            FaultPoint(rawValue: point),
            pass: environment[Self.prefix + "PASS"].flatMap { Int($0) } ?? 1,
            handler: environment[Self.prefix + "HANDLER"],
            signal: environment[Self.prefix + "SIGNAL"].flatMap { Int32($0) } ?? SIGKILL
        )
    }

    /// The variables that tell the process of the fault.
    var variables: [String: String] {
        var variables = ["POINT": point.rawValue, "PASS": "\(pass)", "SIGNAL": "\(signal)"]
        variables["HANDLER"] = handler
        return Dictionary(uniqueKeysWithValues: variables.map { (Self.prefix + $0, $1) })
    }
}

/// Sends the signal of a fault to its process.
///
/// A process stops at the first point from there at which its store has no open transaction.
private final class FaultTrigger: MessageObserver {
    private struct State {
        var passed = 0
        var isDue = false
    }

    private let fault: CrashFault
    private let state = Mutex(State())

    init(_ fault: CrashFault) {
        self.fault = fault
    }

    /// Passes `point`, as one of the handlers that `names` name.
    func pass(_ point: FaultPoint, by names: [String]) {
        let isHere = state.withLock { state in
            if point == fault.point, fault.handler.map(names.contains) ?? true {
                state.passed += 1
                if state.passed == fault.pass { state.isDue = true }
            }
            guard state.isDue, fault.signal == SIGKILL || FaultPoint.withoutTransaction.contains(point) else {
                return false
            }
            state.isDue = false
            return true
        }
        if !isHere { return }
        if fault.signal == SIGSTOP { CrashFaults.acknowledge(CrashFault.stopLine) }
        // The signal goes to this thread, so that the thread does not continue before the signal arrives. All threads
        // stop with it.
        pthread_kill(pthread_self(), fault.signal)
    }

    func messageBegan(_ context: MessageContext) {}

    func messageEnded(_ context: MessageContext, outcome: MessageOutcome, after duration: Duration) {}

    func stageBegan(_ stage: MessageStage) {
        switch stage.kind {
        case .unitOfWork where stage.parentID == nil: pass(.beforeHandler, in: stage)
        case .commit where MessageStage.current?.parentID == nil: pass(.afterHandler, in: stage)
        default: break
        }
    }

    func stageEnded(_ stage: MessageStage, outcome: MessageOutcome, after duration: Duration) {
        guard case .success = outcome, stage.kind == .commit, MessageStage.current?.parentID == nil else { return }
        pass(.afterHandlerCommit, in: stage)
    }

    /// Passes `point` if `stage` belongs to a delivery, and not to a message that its handler has sent.
    private func pass(_ point: FaultPoint, in stage: MessageStage) {
        guard let delivery = DeliveryContext.current, let message = stage.message, message.id == delivery.messageID
        else {
            return
        }
        let command = (message.type as? any DurableCommand.Type)?.commandName
        pass(point, by: [delivery.subscription, command].compactMap(\.self))
    }
}
#endif
