//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HeadraceCore

/// The properties of a state at one time, to be compared with those at another.
///
/// It reads them by reflection, and so is made only while somebody listens. Properties of structs and objects are
/// properties of the state; what else there is, is compared as a whole: by `==` where that exists, else as text.
struct StateSnapshot {
    private struct Leaf {
        let value: (any Equatable)?
        let text: String

        func differs(from other: Leaf) -> Bool {
            guard let value, let otherValue = other.value else { return text != other.text }
            return !value.isEqual(to: otherValue)
        }
    }

    private var names: [String] = []
    private var leaves: [String: Leaf] = [:]

    /// The properties of nothing.
    init() {}

    init(of state: Any) {
        var path: Set<ObjectIdentifier> = []
        add(state, name: "", path: &path)
    }

    /// What is different in `later`, in the order of the properties.
    func changes(to later: StateSnapshot) -> [StateChange] {
        let gone = names.filter { later.leaves[$0] == nil }
        return (later.names + gone).compactMap { name in
            let (old, new) = (leaves[name], later.leaves[name])
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
                addLeaf(value, name: name)
            }
        case .struct where !mirror.children.isEmpty:
            addChildren(of: mirror, name: name, path: &path)
        case .class:
            let id = ObjectIdentifier(value as AnyObject)
            guard path.insert(id).inserted else { return }
            addChildren(of: mirror, name: name, path: &path)
            path.remove(id)
        default:
            addLeaf(value, name: name)
        }
    }

    private mutating func addChildren(of mirror: Mirror, name: String, path: inout Set<ObjectIdentifier>) {
        if let superclass = mirror.superclassMirror { addChildren(of: superclass, name: name, path: &path) }
        for (label, value) in mirror.children {
            guard let label = Self.property(label) else { continue }
            add(value, name: name.isEmpty ? label : "\(name).\(label)", path: &path)
        }
    }

    private mutating func addLeaf(_ value: Any, name: String) {
        let name = name.isEmpty ? "state" : name
        names.append(name)
        leaves[name] = Leaf(value: value as? any Equatable, text: String(reflecting: value).withoutTypeAddresses)
    }

    /// What the program calls the property that is stored as `label`; `nil` for what the compiler has added.
    ///
    /// Observation stores the property `count` as `_count`, and has a registrar beside.
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
