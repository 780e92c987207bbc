// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceResilience

/// A circuit, as the page shows it.
struct CircuitView: Encodable {
    /// The name of the circuit, or its number in the list if the redaction hides the name.
    let name: String

    /// The state in words.
    let state: String

    init(_ name: String, _ state: CircuitState) {
        self.name = name
        self.state =
            switch state {
            case .closed: "closed"
            case .open: "open"
            case .halfOpen: "half-open"
            }
    }
}
