//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceStations

/// Children by id, each of which counts.
public struct Rows: Dripper {
    /// A child.
    public struct Row: Identifiable {
        /// Tells it from the others.
        public let id: Int

        var count = 0
    }

    /// All children.
    public struct State {
        /// By id.
        public var rows: Children<Row>

        /// Creates a state of `count` children, with the ids from zero.
        public init(count: Int) {
            rows = Children((0..<count).map { Row(id: $0) })
        }
    }

    /// What there is to do.
    public enum Action: Sendable {
        /// Adds one to a child.
        case row(Int, Tally.Action)
    }

    /// Creates a dripper.
    public init() {}

    /// Routes to the child.
    public var body: some Dripper<State, Action> {
        Scope(
            each: \.rows,
            action: Case(Action.row) { if case .row(let id, let action) = $0 { (id, action) } else { nil } }
        ) {
            Drip<Row, Tally.Action> { row, _ in
                row.count &+= 1
                return .none
            }
        }
    }
}
