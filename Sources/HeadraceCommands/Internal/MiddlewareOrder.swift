//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore
import HeadraceResolution

/// The middleware of one dispatcher, to be checked with the graph.
struct MiddlewareOrder: RegistrationNote {
    let middleware: [any Middleware]

    /// Each middleware that says it does nothing within those before it.
    static func problems(in notes: [MiddlewareOrder]) -> [CompositionProblem] {
        notes.flatMap { note in
            note.middleware.indices.compactMap { index -> CompositionProblem? in
                guard let placed = note.middleware[index] as? any PlacedMiddleware,
                    let outer = placed.obstacle(among: note.middleware[..<index])
                else { return nil }
                let (name, outerName) = (String(naming: type(of: placed)), String(naming: type(of: outer)))
                return CompositionProblem(
                    .misplacedMiddleware,
                    path: [type(of: outer), type(of: placed)],
                    message: """
                        '\(name)' does nothing within '\(outerName)'. To fix, put it before that in 'middleware: […]'.
                        """
                )
            }
        }
    }
}
