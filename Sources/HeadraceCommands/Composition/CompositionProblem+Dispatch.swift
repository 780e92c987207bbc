//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HeadraceResolution

extension CompositionProblem.Kind {
    /// A message that the application sends has no handler.
    public static let missingHandler = CompositionProblem.Kind("missingHandler")

    /// A message has several handlers, of which the last one handles it.
    public static let duplicateHandler = CompositionProblem.Kind("duplicateHandler")

    /// A middleware does nothing where it stands in the list.
    public static let misplacedMiddleware = CompositionProblem.Kind("misplacedMiddleware")

    /// A command isn't `Encodable`, though a middleware keeps idempotency keys; only `ValidationLevel.strict` reports it.
    public static let notEncodable = CompositionProblem.Kind("notEncodable")
}
