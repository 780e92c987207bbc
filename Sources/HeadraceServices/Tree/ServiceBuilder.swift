// SPDX-License-Identifier: Apache-2.0

/// Builds the services of a block, without a limit on their number; supports `if`, `switch`, and `for`.
@resultBuilder
public enum ServiceBuilder {
    /// Adds a service.
    public static func buildExpression(_ service: some Service) -> [any Service] { [service] }

    /// Adds an optional service, or nothing if it is `nil`.
    public static func buildExpression(_ service: (some Service)?) -> [any Service] { service.map { [$0] } ?? [] }

    /// Adds the services of an array.
    public static func buildExpression(_ services: [any Service]) -> [any Service] { services }

    /// Combines the services of a block, in the order written.
    public static func buildBlock(_ services: [any Service]...) -> [any Service] { services.flatMap { $0 } }

    /// Adds the services of an `if` without an `else`.
    public static func buildOptional(_ services: [any Service]?) -> [any Service] { services ?? [] }

    /// Adds the services of the first branch.
    public static func buildEither(first services: [any Service]) -> [any Service] { services }

    /// Adds the services of the second branch.
    public static func buildEither(second services: [any Service]) -> [any Service] { services }

    /// Combines the services of a loop, in its order.
    public static func buildArray(_ services: [[any Service]]) -> [any Service] { services.flatMap { $0 } }

    /// Adds services that are available only on some systems.
    public static func buildLimitedAvailability(_ services: [any Service]) -> [any Service] { services }

    /// Makes one service of the block.
    public static func buildFinalResult(_ services: [any Service]) -> ServiceList { ServiceList(services) }
}
