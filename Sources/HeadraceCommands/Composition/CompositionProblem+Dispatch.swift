// SPDX-License-Identifier: Apache-2.0

public import HeadraceResolution

extension CompositionProblem.Kind {
    /// A message that the application sends has no handler.
    public static let missingHandler = CompositionProblem.Kind("missingHandler")

    /// A message has several handlers.
    ///
    /// Only the last handler is used.
    public static let duplicateHandler = CompositionProblem.Kind("duplicateHandler")

    /// A middleware has no effect in its position in the list.
    public static let misplacedMiddleware = CompositionProblem.Kind("misplacedMiddleware")

    /// A command isn't `Encodable` or its result isn't `Codable`, but a middleware stores commands under idempotency keys.
    ///
    /// Only `ValidationLevel.strict` reports it.
    public static let notEncodable = CompositionProblem.Kind("notEncodable")

    /// A command handler changes entities in a context, but no middleware is known to commit that context.
    ///
    /// Only `ValidationLevel.strict` reports it.
    public static let missingUnitOfWork = CompositionProblem.Kind("missingUnitOfWork")
}
