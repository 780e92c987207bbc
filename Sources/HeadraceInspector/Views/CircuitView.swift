//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// A circuit, as the page shows it.
struct CircuitView: Encodable {
    /// The key of the circuit.
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
