// SPDX-License-Identifier: Apache-2.0

#if Simulation
import Logging

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
