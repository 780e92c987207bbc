// SPDX-License-Identifier: Apache-2.0

public import HeadraceStations

/// Children by ID, each of which counts.
public struct Rows: Dripper {
    /// A child.
    public struct Row: Identifiable {
        /// The ID of the child.
        public let id: Int

        var count = 0
    }

    /// All children.
    public struct State {
        /// The children by ID.
        public var rows: Children<Row>

        /// Creates a state of `count` children, with IDs from zero.
        public init(count: Int) {
            rows = Children((0..<count).map { Row(id: $0) })
        }
    }

    /// The actions of the children.
    public enum Action: Sendable {
        /// Increments the count of a child.
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
