//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A part of a tree that reacts to actions, made out of other services.
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
/// A service describes; nothing of it runs. ``Bootstrap`` reads the description once, on the main actor, and makes a
/// cluster out of it. Where a service stands in the tree is what it is: two of one type, or one value used twice, are two
/// services.
public protocol Service {
    /// What it is made of.
    associatedtype Body: Service

    /// The services that it is made of; several in a body belong together as in a ``Group``.
    ///
    /// It is read once for each place in the tree, when the cluster is made.
    @MainActor @ServiceBuilder var body: Body { get }

    /// Reads what the tree above states: `@Environment(\.key) var key`.
    typealias Environment = ServiceEnvironment

    /// Reads an object that the tree above gives: `@EnvironmentObject var object: Object`.
    typealias EnvironmentObject = ServiceEnvironmentObject
}

extension Never: Service {
    /// Is never read.
    public var body: Never {
        let message = "A service without a body has none to read."
        return preconditionFailure(message)
    }
}
