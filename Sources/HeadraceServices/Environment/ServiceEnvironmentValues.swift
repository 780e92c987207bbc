// SPDX-License-Identifier: Apache-2.0

/// The environment values at a position in a tree of services.
///
/// Add your own values as computed properties in an extension; see ``ServiceEnvironmentKey``.
public struct ServiceEnvironmentValues: Sendable {
    private var values: [ObjectIdentifier: any Sendable] = [:]
    private var objects: [ObjectIdentifier: any AnyObject & Sendable] = [:]

    /// The `Send` that handlers receive.
    ///
    /// By default, it sends to the cluster. A test can replace it to record the actions instead of sending them.
    public var send: Send

    init(send: Send) {
        self.send = send
    }

    /// The value of `key`.
    public subscript<Key: ServiceEnvironmentKey>(key: Key.Type) -> Key.Value {
        get { values[ObjectIdentifier(key)] as? Key.Value ?? Key.defaultValue }
        set { values[ObjectIdentifier(key)] = newValue }
    }

    /// Returns the object of this type, or `nil` if the tree provides none.
    func object<Object: AnyObject & Sendable>(of type: Object.Type) -> Object? {
        objects[ObjectIdentifier(type)] as? Object
    }

    mutating func setObject<Object: AnyObject & Sendable>(_ object: Object) {
        objects[ObjectIdentifier(Object.self)] = object
    }
}
