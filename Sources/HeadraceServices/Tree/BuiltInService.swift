// SPDX-License-Identifier: Apache-2.0

/// A service of this module that makes its node without a body.
protocol BuiltInService: Service {
    /// Begins to read the service at the position that `context` describes.
    @MainActor func beginReading(in context: ReadingContext) -> ServiceReading
}

/// A service that is being read: its children, and the function that makes its node from their nodes.
@MainActor
struct ServiceReading {
    typealias Child = (service: any Service, context: ReadingContext)

    let children: [Child]

    /// Makes the node from the nodes of the children, in their order.
    let makeNode: @MainActor ([TreeNode]) -> TreeNode

    init(of children: [Child], makeNode: @escaping @MainActor ([TreeNode]) -> TreeNode) {
        self.children = children
        self.makeNode = makeNode
    }

    /// Creates a reading with one child.
    init(
        of child: any Service,
        in context: ReadingContext,
        makeNode: @escaping @MainActor (TreeNode) -> TreeNode
    ) {
        self.init(of: [(child, context)]) { makeNode($0[0]) }
    }

    /// Creates a reading without children.
    init(_ node: TreeNode) {
        self.init(of: []) { _ in node }
    }
}

extension BuiltInService {
    /// Stops the program: a built-in service has no body.
    public var body: Never {
        let message = "'\(Self.self)' has no body. To fix, don't read it: 'Bootstrap' reads the service itself."
        return preconditionFailure(message)
    }
}
