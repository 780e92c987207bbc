// SPDX-License-Identifier: Apache-2.0

#if Simulations
import HeadraceCore
import Logging
import Synchronization

/// The last messages of each node, for the report of a failure.
final class SimulationHistory: Sendable {
    /// Something that a node has done, or that has happened to it.
    struct Entry: Sendable, CustomStringConvertible {
        let step: Int
        let time: Duration
        let text: String

        var description: String { "step \(step), \(time.seconds): \(text)" }
    }

    private let entries = Mutex<[String: [Entry]]>([:])
    private let scheduler: Scheduler
    private let limit: Int

    init(_ scheduler: Scheduler, limit: Int) {
        self.scheduler = scheduler
        self.limit = limit
    }

    /// Notes `text` for the node with this name; the trace of the run contains it, too.
    func note(_ node: String, _ text: String) {
        var mixer = WordMixer()
        mixer.mix(node)
        mixer.mix(text)
        scheduler.note(mixer.value)
        let entry = Entry(step: scheduler.stepCount, time: scheduler.now, text: text)
        entries.withLock { entries in
            var list = entries[node] ?? []
            list.append(entry)
            if list.count > 2 * limit { list.removeFirst(list.count - limit) }
            entries[node] = list
        }
    }

    /// The last entries of each node, by its name.
    var last: [(node: String, entries: [Entry])] {
        entries.withLock { entries in
            entries.keys.sorted().map { ($0, Array((entries[$0] ?? []).suffix(limit))) }
        }
    }

    /// The message that the current code handles, and its cause, in words.
    static var currentCause: String {
        guard let message = MessageContext.current else { return "" }
        let cause = message.causationID.map { ", caused by \($0)" } ?? ""
        return " by \(message.name) (\(message.id)\(cause))"
    }
}

extension Duration {
    /// The duration in seconds, with milliseconds.
    var seconds: String {
        let milliseconds = Int((self / .milliseconds(1)).rounded())
        let rest = "\(1_000 + abs(milliseconds) % 1_000)".dropFirst()
        return "\(milliseconds / 1_000).\(rest) s"
    }
}

/// Adds the log of a node to the history of the simulation; nothing is printed.
struct SimulationLogHandler: LogHandler {
    let node: String
    let history: SimulationHistory
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    var logLevel: Logger.Level = .info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        let values = all.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        history.note(node, "\(event.level): \(event.message)\(values)")
    }

    /// A logger of the node with this name.
    static func logger(of node: String, _ history: SimulationHistory) -> Logger {
        Logger(label: "headrace.simulation") { _ in SimulationLogHandler(node: node, history: history) }
    }
}
#endif
