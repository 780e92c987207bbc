// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// Everything found while the tree is read, apart from its nodes.
@MainActor
final class Findings {
    var bootstraps: [BootstrapHandler] = []
    var emitters: [Emitter] = []

    /// The action types that `transformError` makes, with the paths of the modifiers.
    var transformed: [(action: any Action.Type, path: TreePath?)] = []

    private(set) var problems: [ServiceTreeProblem] = []

    func note(_ problem: ServiceTreeProblem) {
        problems.append(problem)
    }
}
