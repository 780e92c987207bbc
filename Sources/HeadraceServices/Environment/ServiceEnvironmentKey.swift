//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Names a value that a tree of services states for those that read it.
///
/// ```swift
/// enum RetriesKey: ServiceEnvironmentKey {
///     static let defaultValue = 3
/// }
///
/// extension ServiceEnvironmentValues {
///     var retries: Int {
///         get { self[RetriesKey.self] }
///         set { self[RetriesKey.self] = newValue }
///     }
/// }
/// ```
///
/// A value without a sensible default is optional; a service that cannot do without reads it as one that is not.
public protocol ServiceEnvironmentKey {
    /// What the values are.
    associatedtype Value: Sendable

    /// The value where the tree states none.
    static var defaultValue: Value { get }
}
