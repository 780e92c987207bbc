// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import HeadraceCore
import Synchronization

#if Lifecycle
public import ServiceLifecycle
#endif

/// Keeps the flow of an inspector in a folder, so that the page shows what happened before the program was restarted.
///
/// ```swift
/// let history = try InspectorHistory(in: folder)
/// let inspector = Inspector(history: history)
/// // beside the relay, in the group of services
/// try await history.run()
/// ```
///
/// While it runs, it writes the new and changed entries of the flow each second. It takes them from the memory of the
/// inspector, so no message waits for the disk. A program that is killed loses the last second. A power failure can lose more,
/// because the files aren't synchronized.
///
/// The files contain exactly the texts that the page shows: the ``Redaction`` has hidden everything else before. Only the user
/// of the process can read them. A stricter redaction applies to new entries only; to forget the others, remove the files.
///
/// Within the limits of the ``Configuration``, the newest entries are kept. The page says how many messages are missing,
/// approximately: those that weren't recorded, and those that the memory of the inspector had dropped before they were written,
/// for example because the disk was full. A failure to write doesn't stop the program. The page shows it, and the next second
/// tries again.
///
/// With the trait `Lifecycle`, it conforms to `Service` of swift-service-lifecycle. Put it first in the list of services, so that
/// it ends last.
public final class InspectorHistory: Sendable {
    /// Limits on the files of a history.
    public struct Configuration: Sendable {
        /// Maximum size of the files in bytes; 32 MiB by default.
        public var byteLimit = 32 << 20

        /// Maximum age of an entry; 24 hours by default.
        ///
        /// A running program removes older entries from the disk.
        public var age: Duration = .seconds(24 * 3_600)

        /// Time between two writes; 1 second by default.
        public var interval: Duration = .seconds(1)

        /// Creates a configuration with the default values.
        public init() {}
    }

    private struct State {
        /// The files; `nil` after the end.
        var ring: HistoryRing?

        /// The entries of earlier runs, until a recorder has them.
        var restored: [FlowEntry]

        var recorder: FlowRecorder?
        var hasRun = false

        /// Revision of the flow up to which the changes are in the files.
        var revision: UInt64 = 0

        /// The number of the last entry that was written or counted.
        var number: UInt64 = 0

        /// Number of refusals of the recorder that were counted.
        var refusals = 0
    }

    let status: HistoryStatus

    /// Number of entries of earlier runs.
    private let restoredCount: Int

    /// The number of this run.
    private let run: Int

    private let configuration: Configuration
    private let clock: any TimeSource
    private let state: Mutex<State>

    /// Opens the files in `folder`, or creates them, and reads the entries of earlier runs.
    ///
    /// - Parameters:
    ///   - folder: The folder for the files of this inspector alone. It is created if its parent exists.
    ///   - configuration: Limits on the files.
    ///   - clock: Measures the time between two writes.
    ///   - wallClock: Returns the time for the age of entries.
    /// - Throws: ``InspectorHistoryError`` if the folder or its files can't be used, another inspector uses them, another program or
    ///   another version has written them.
    public init(
        in folder: URL,
        configuration: Configuration = Configuration(),
        clock: any TimeSource = ContinuousClock(),
        wallClock: @Sendable () -> Date = { Date() }
    ) throws {
        let (ring, restored) = try HistoryRing.open(
            in: folder,
            byteLimit: configuration.byteLimit,
            ageLimit: configuration.age / .milliseconds(1),
            now: wallClock().millisecondsSince1970
        )
        self.configuration = configuration
        self.clock = clock
        restoredCount = restored.entries.count
        run = restored.lastRun + 1
        status = HistoryStatus(
            HistoryView(
                earlier: restored.entries.count, leftOut: restored.leftOut, unreadable: restored.unreadable)
        )
        state = Mutex(State(ring: ring, restored: restored.entries))
    }

    /// Returns the entries of earlier runs, and keeps none of them.
    func takeRestored() -> [FlowEntry] {
        state.withLock { state in
            defer { state.restored = [] }
            return state.restored
        }
    }

    /// Takes the entries from `recorder`, which has the restored entries.
    func follow(_ recorder: FlowRecorder) {
        state.withLock { state in
            precondition(
                state.recorder == nil, "The history has an inspector. To fix, create a history for each inspector.")
            state.recorder = recorder
            state.number = UInt64(restoredCount)
        }
    }

    /// Writes until the task is cancelled or a graceful shutdown begins.
    ///
    /// At the end, it writes the last entries and closes the files.
    ///
    /// - Throws: ``InspectorHistoryError`` with the code `InspectorHistoryError.Code.alreadyRun`.
    public func run() async throws {
        let hasRun = state.withLock { state in
            defer { state.hasRun = true }
            return state.hasRun
        }
        if hasRun { throw InspectorHistoryError.alreadyRun }
        #if Lifecycle
        await cancelWhenGracefulShutdown { await self.writeUntilCancelled() }
        #else
        await writeUntilCancelled()
        #endif
    }

    /// Writing waits for the disk, so it doesn't run on the actor of the caller.
    @concurrent
    private func writeUntilCancelled() async {
        let interval = max(configuration.interval, .milliseconds(10))
        while (try? await clock.sleep(for: interval)) != nil { write() }
        write()
        state.withLock { $0.ring = nil }
    }

    /// Writes the entries that have changed since the last call.
    private func write() {
        state.withLock { state in
            guard let recorder = state.recorder else { return }
            let changes = recorder.changes(after: state.revision)
            let entries = changes.entries.filter { $0.isEarlier != true }
            let newCount = entries.count { $0.number > state.number }
            let dropped = Int(changes.last - state.number) - newCount
            let refusals = recorder.refusalCount
            var lines = entries.compactMap { try? HistoryRecord(run: run, entry: $0).historyLine() }
            let leftOut = dropped + refusals - state.refusals + entries.count - lines.count
            if leftOut > 0, let line = try? HistoryRecord(run: run, leftOut: leftOut).historyLine() {
                lines.append(line)
            }
            do {
                let now = recorder.now.millisecondsSince1970
                if lines.isEmpty {
                    try state.ring?.removeOldEntries(at: now)
                } else {
                    try state.ring?.append(lines, at: now)
                }
                state.revision = changes.revision
                state.number = changes.last
                state.refusals = refusals
                status.succeeded(dropped: dropped)
            } catch {
                status.failed(error)
            }
        }
    }
}

#if Lifecycle
extension InspectorHistory: Service {}
#endif

/// The state of the history on the disk.
final class HistoryStatus: Sendable {
    private let state: Mutex<HistoryView>

    init(_ view: HistoryView) {
        state = Mutex(view)
    }

    var view: HistoryView { state.withLock { $0 } }

    /// Reports that all entries were written, except `dropped` entries.
    func succeeded(dropped: Int) {
        state.withLock { view in
            view.dropped += dropped
            view.failure = nil
        }
    }

    /// Reports that the last entries couldn't be written.
    func failed(_ error: any Error) {
        state.withLock { $0.failure = error.localizedDescription }
    }
}

/// The history on the disk, as the page shows it.
struct HistoryView: Sendable, Equatable, Encodable {
    /// Number of entries of earlier runs that were read.
    let earlier: Int

    /// Approximate number of entries of earlier runs that were left out.
    let leftOut: Int

    /// Number of lines of the files that couldn't be read.
    let unreadable: Int

    /// Number of entries of this run that the memory had dropped before they could be written.
    var dropped = 0

    /// The reason why the last entries couldn't be written; `nil` if they were written.
    var failure: String?
}

/// An error of the folder of an ``InspectorHistory``.
///
/// Branch on ``code``, log ``message``. Minor releases can add codes.
public struct InspectorHistoryError: CodedError {
    /// The reason of the error, stable enough to branch on.
    public typealias Code = ErrorCode<InspectorHistoryError>

    /// The reason of the error.
    public let code: Code

    /// A description of the error and its fix.
    public let message: String

    /// The error of the operating system, if there is one.
    public let cause: (any Error)?

    static func unavailable(_ path: String, _ cause: any Error) -> InspectorHistoryError {
        InspectorHistoryError(
            code: .unavailable,
            message: """
                The history of the inspector can't use '\(path)': \(cause.localizedDescription). To fix, create the folder, \
                and let this user read and write it and its files.
                """,
            cause: cause
        )
    }

    static func inUse(_ path: String) -> InspectorHistoryError {
        InspectorHistoryError(
            code: .inUse,
            message: """
                The folder '\(path)' has the history of another running inspector. To fix, use another folder for each \
                inspector.
                """,
            cause: nil
        )
    }

    static func damaged(_ path: String) -> InspectorHistoryError {
        InspectorHistoryError(
            code: .damaged,
            message: """
                The file '\(path)' isn't a part of a history of an inspector, and was kept. To fix, remove it, or use another \
                folder.
                """,
            cause: nil
        )
    }

    static func unsupportedVersion(_ version: Int, _ path: String) -> InspectorHistoryError {
        InspectorHistoryError(
            code: .unsupportedVersion,
            message: """
                The file '\(path)' has a history of the version \(version), and this program reads only the version \
                \(HistoryHeader.currentVersion). To fix, run the program that has written it, remove it, or use another folder.
                """,
            cause: nil
        )
    }

    static let alreadyRun = InspectorHistoryError(
        code: .alreadyRun,
        message: "The history is running or has ended. To fix, run it once, and create another one for the next run.",
        cause: nil
    )
}

extension ErrorCode<InspectorHistoryError> {
    /// The folder or a file in it can't be read or written.
    public static var unavailable: Self { Self() }

    /// Another process, or another history of this process, uses the folder.
    public static var inUse: Self { Self() }

    /// A file in the folder isn't a part of a history.
    ///
    /// It was kept as it is.
    public static var damaged: Self { Self() }

    /// Another version of Headrace has written the files.
    ///
    /// They were kept as they are.
    public static var unsupportedVersion: Self { Self() }

    /// The history is running or has ended.
    public static var alreadyRun: Self { Self() }
}
