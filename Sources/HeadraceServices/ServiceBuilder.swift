//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Collects the services of a block, as many as there are, also by way of `if`, `switch` and `for`.
@resultBuilder
public enum ServiceBuilder {
    /// Takes a service.
    public static func buildExpression(_ service: some Service) -> [any Service] { [service] }

    /// Takes a service that may be missing.
    public static func buildExpression(_ service: (some Service)?) -> [any Service] { service.map { [$0] } ?? [] }

    /// Takes services that were made elsewhere.
    public static func buildExpression(_ services: [any Service]) -> [any Service] { services }

    /// Takes what stands in a block, in that order.
    public static func buildBlock(_ services: [any Service]...) -> [any Service] { services.flatMap { $0 } }

    /// Takes what an `if` without an `else` gives.
    public static func buildOptional(_ services: [any Service]?) -> [any Service] { services ?? [] }

    /// Takes the first branch.
    public static func buildEither(first services: [any Service]) -> [any Service] { services }

    /// Takes the other branch.
    public static func buildEither(second services: [any Service]) -> [any Service] { services }

    /// Takes what a loop gives.
    public static func buildArray(_ services: [[any Service]]) -> [any Service] { services.flatMap { $0 } }

    /// Takes what is available only on some systems.
    public static func buildLimitedAvailability(_ services: [any Service]) -> [any Service] { services }

    /// Makes one service of all.
    public static func buildFinalResult(_ services: [any Service]) -> ServiceList { ServiceList(services) }
}
