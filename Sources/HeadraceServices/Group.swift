//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Services under one roof, for a modifier that is meant for all of them; it does nothing itself.
///
/// ```swift
/// Group {
///     IdentityService()
///     ArticlesService()
/// }
/// .serial()
/// ```
public struct Group: Service {
    let content: ServiceList

    /// Creates a group of these services.
    @MainActor
    public init(@ServiceBuilder _ services: @MainActor () throws -> ServiceList) rethrows {
        content = try services()
    }
}

extension Group: BuiltInService {
    func beginReading(in context: PlanContext) -> ServiceReading {
        ServiceReading(of: content, in: context.entering(.group)) { Node(.inner($0), label: .group) }
    }
}
