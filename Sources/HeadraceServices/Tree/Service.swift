// SPDX-License-Identifier: Apache-2.0

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
