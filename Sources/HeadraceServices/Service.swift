// SPDX-License-Identifier: Apache-2.0

@_exported public import protocol HeadraceCore.Action

/// A part of a tree that handles actions and consists of other services.
///
/// ```swift
/// struct IdentityService: Service {
///     var body: some Service {
///         Store(model: IdentityModel.self)
///             .mutate(on: IdentityAction.self) { model, action, send in
///                 try await model.apply(action)
///             }
///     }
/// }
/// ```
///
/// A service is a description and doesn't run. ``Bootstrap`` reads the description once, on the main actor, and makes a
/// cluster from it. A service is identified by its position in the tree. Two services of the same type, or one value used
/// twice, are distinct.
public protocol Service {
    /// The type of the body.
    associatedtype Body: Service

    /// The services that this service consists of.
    ///
    /// Several services in a body form a group, as in a ``Group``. The body is read once for each position of the service in
    /// the tree, when the cluster is created.
    @MainActor @ServiceBuilder var body: Body { get }

    /// Reads a value that the tree above the service sets: `@Environment(\.key) var key`.
    typealias Environment = ServiceEnvironment

    /// Reads an object that the tree above the service provides: `@EnvironmentObject var object: Object`.
    typealias EnvironmentObject = ServiceEnvironmentObject
}

extension Never: Service {
    /// Stops the program: `Never` has no body.
    public var body: Never {
        let message = "'Never' has no body. To fix, don't read it: 'Bootstrap' reads the service itself."
        return preconditionFailure(message)
    }
}

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

/// The services of a block: the content of a body, a group, or a cluster.
///
/// A list with a single service is equivalent to that service.
public struct ServiceList: Service {
    let services: [any Service]

    /// Creates a list of services in this order.
    public init(_ services: [any Service]) {
        self.services = services
    }
}

extension ServiceList: BuiltInService {
    func beginReading(in context: ReadingContext) -> ServiceReading {
        var inner = context
        inner.pending = []
        return ServiceReading(
            of: services.enumerated().map { index, service in (service, inner.entering(.position(index + 1))) },
            makeNode: { ServiceNode(.list($0, context.strategy)) }
        )
    }
}

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
        ServiceReading(of: content, in: context.entering(.group)) { ServiceNode($0, labelled: .group) }
    }
}
