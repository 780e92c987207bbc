// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// The properties of a state at one time, for comparison with a later snapshot.
///
/// It reads the properties by reflection, so the station makes snapshots only while there are observers. It descends
/// into structs and objects. Other values are compared as a whole: by `==` if they are `Equatable`, otherwise as text.
struct StateSnapshot {
    private struct PropertyValue {
        let value: (any Equatable)?
        let text: String

        func differs(from other: PropertyValue) -> Bool {
            guard let value, let otherValue = other.value else { return text != other.text }
            return !value.isEqual(to: otherValue)
        }
    }

    private var names: [String] = []
    private var values: [String: PropertyValue] = [:]

    /// A snapshot without properties.
    init() {}

    init(of state: Any) {
        var path: Set<ObjectIdentifier> = []
        add(state, name: "", path: &path)
    }

    /// The changes between this snapshot and `later`, in the order of the properties.
    func changes(to later: StateSnapshot) -> [StateChange] {
        let gone = names.filter { later.values[$0] == nil }
        return (later.names + gone).compactMap { name in
            let (old, new) = (values[name], later.values[name])
            if let old, let new, !old.differs(from: new) { return nil }
            return StateChange(property: name, old: old?.text, new: new?.text)
        }
    }

    private mutating func add(_ value: Any, name: String, path: inout Set<ObjectIdentifier>) {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional:
            if let wrapped = mirror.children.first {
                add(wrapped.value, name: name, path: &path)
            } else {
                addValue(value, name: name)
            }
        case .struct where !mirror.children.isEmpty:
            addChildren(of: mirror, name: name, path: &path)
        case .class:
            let id = ObjectIdentifier(value as AnyObject)
            guard path.insert(id).inserted else { return }
            addChildren(of: mirror, name: name, path: &path)
            path.remove(id)
        default:
            addValue(value, name: name)
        }
    }

    private mutating func addChildren(of mirror: Mirror, name: String, path: inout Set<ObjectIdentifier>) {
        if let superclass = mirror.superclassMirror { addChildren(of: superclass, name: name, path: &path) }
        for (label, value) in mirror.children {
            guard let label = Self.property(label) else { continue }
            add(value, name: name.isEmpty ? label : "\(name).\(label)", path: &path)
        }
    }

    private mutating func addValue(_ value: Any, name: String) {
        let name = name.isEmpty ? "state" : name
        names.append(name)
        values[name] = PropertyValue(
            value: value as? any Equatable,
            text: String(reflecting: value).withoutTypeAddresses
        )
    }

    /// Returns the name of the property that is stored as `label`; `nil` for storage that a macro has added.
    ///
    /// Observation stores the property `count` as `_count`, and adds a registrar.
    private static func property(_ label: String?) -> String? {
        guard let label, !label.hasPrefix("_$") else { return nil }
        return label.hasPrefix("_") ? String(label.dropFirst()) : label
    }
}

extension Equatable {
    fileprivate func isEqual(to other: any Equatable) -> Bool {
        (other as? Self) == self
    }
}
