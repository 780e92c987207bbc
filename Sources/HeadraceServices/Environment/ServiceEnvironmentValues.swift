//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The values that hold for a place in a tree of services.
///
/// Those of your own are computed properties in an extension; see ``ServiceEnvironmentKey``.
public struct ServiceEnvironmentValues: Sendable {
    private var values: [ObjectIdentifier: any Sendable] = [:]
    private var objects: [ObjectIdentifier: any AnyObject & Sendable] = [:]

    /// What handlers send other actions with: to the cluster, unless the tree states another.
    ///
    /// A test that is not to let a service's own actions out states one that records them.
    public var send: Send

    init(send: Send) {
        self.send = send
    }

    /// The value of `key`.
    public subscript<Key: ServiceEnvironmentKey>(key: Key.Type) -> Key.Value {
        get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
        set { values[ObjectIdentifier(key)] = newValue }
    }

    /// The object of this type, or `nil` where the tree gives none.
    func object<Object: AnyObject & Sendable>(of type: Object.Type) -> Object? {
        objects[ObjectIdentifier(type)] as? Object
    }

    mutating func setObject<Object: AnyObject & Sendable>(_ object: Object) {
        objects[ObjectIdentifier(Object.self)] = object
    }
}
