// SPDX-License-Identifier: Apache-2.0

import HeadraceCore

/// Spells types for messages, source text, and graphs.
enum TypeSpelling {
    /// The name with its module, without the addresses that Swift prints for private types.
    static func full(_ type: Any.Type) -> String {
        (type as? any FactoryDependency.Type).map { factory($0, full) } ?? String(naming: type)
    }

    /// The name as short as Swift prints it.
    static func short(_ type: Any.Type) -> String {
        (type as? any FactoryDependency.Type).map { factory($0, short) }
            ?? String(describing: type).withoutTypeAddresses
    }

    /// A factory as it is written in source text: `Factory<Report, String>`.
    private static func factory(_ factory: any FactoryDependency.Type, _ spell: (Any.Type) -> String) -> String {
        "Factory<\(([factory.product] + factory.arguments).map { spell($0) }.joined(separator: ", "))>"
    }

    /// The full names with an arrow from each to the next.
    static func path(_ types: [Any.Type]) -> String {
        path(types.map { full($0) })
    }

    /// `names` with an arrow from each to the next.
    static func path(_ names: [String]) -> String {
        names.joined(separator: " → ")
    }

    /// The type as an argument in source text: `Module.Mailer.self`, `(any Module.Mailer).self`.
    static func expression(of type: Any.Type) -> String {
        // The metatype of an existential is the only one that Swift prints with the suffix ".Protocol".
        let metatype = String(naming: Swift.type(of: type))
        return metatype.hasSuffix(".Protocol")
            ? "(any \(full(type))).self"
            : "\(metatype.dropLast(".Type".count)).self"
    }

    /// The full name of `contract`, with the implementation and the position in its set, if it has them.
    static func name(of contract: Any.Type, madeAs implementation: Any.Type?, member: Int?) -> String {
        var remarks = implementation.map { [full($0)] } ?? []
        if let member { remarks.append("number \(member) of its set") }
        return remarks.isEmpty ? full(contract) : "\(full(contract)) (\(remarks.joined(separator: ", ")))"
    }

    /// The line that registers `type`: the type alone if it is `Resolvable`, a set if it is an array.
    static func lineToAdd(for type: Any.Type) -> String {
        if type is any Resolvable.Type {
            return "'builder.transient(\(expression(of: type)))'"
        }
        if let set = type as? any SetDependency.Type {
            return "'builder.members.transient(\(expression(of: set.element))) { … }'"
        }
        if let factory = type as? any FactoryDependency.Type {
            let arguments = factory.arguments.map { expression(of: $0) }.joined(separator: ", ")
            let taking = arguments.isEmpty ? "" : ", taking: \(arguments)"
            return "'builder.factory(of: \(expression(of: factory.product))\(taking)) { … }'"
        }
        return "'builder.transient(\(expression(of: type))) { … }'"
    }
}
