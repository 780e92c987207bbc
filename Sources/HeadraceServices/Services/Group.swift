// SPDX-License-Identifier: Apache-2.0

/// A group of services, so that a modifier applies to all of them.
///
/// The group itself does nothing.
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

    /// Creates a group of services.
    @MainActor
    public init(@ServiceBuilder _ services: @MainActor () throws -> ServiceList) rethrows {
        content = try services()
    }
}

extension Group: BuiltInService {
    func beginReading(in context: ReadingContext) -> ServiceReading {
        ServiceReading(of: content, in: context.entering(.group)) { TreeNode(.inner($0), label: .group) }
    }
}
