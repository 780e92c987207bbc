// SPDX-License-Identifier: Apache-2.0

/// Names of everything that the page can show.
struct Overview: Encodable {
    /// Distinguishes this inspector from a predecessor with the same entry numbers.
    let session: String

    let allowsWrites: Bool
    let capacity: Int
    let windowSeconds: Double

    /// Time over which the capacity is spread while no page is open, in seconds; 0 if nothing is recorded then.
    let retentionSeconds: Double
    let graphs: [String]
    let stations: [String]
    let stores: [String]

    /// For each kind of hidden content, the reason and how to show it.
    let hints = HiddenContent.hints

    init(_ inspector: Inspector, allowsWrites: Bool) {
        session = inspector.session
        self.allowsWrites = allowsWrites
        capacity = inspector.recorder.configuration.capacity
        windowSeconds = inspector.recorder.configuration.window / .seconds(1)
        retentionSeconds = inspector.recorder.configuration.retention / .seconds(1)
        graphs = inspector.graphs.map(\.name)
        stations = inspector.stations.map(\.name)
        stores = inspector.stores.map(\.name)
    }
}
