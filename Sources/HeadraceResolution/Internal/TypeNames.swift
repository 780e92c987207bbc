//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How types are written in messages, source text and drawings.
enum TypeNames {
    /// The name with its module, and without the address that Swift prints for what is private: it differs
    /// from run to run.
    static func full(_ type: Any.Type) -> String {
        withoutAddresses(String(reflecting: type))
    }

    /// The name as short as Swift prints it.
    static func short(_ type: Any.Type) -> String {
        withoutAddresses(String(describing: type))
    }

    /// The full names with an arrow from each to the next.
    static func path(_ types: [Any.Type]) -> String {
        types.map { full($0) }.joined(separator: " → ")
    }

    /// The type as an argument in source text: `Module.Mailer.self`, `(any Module.Mailer).self`.
    static func expression(of type: Any.Type) -> String {
        // Only the metatype of an existential is printed as one of a protocol.
        let metatype = withoutAddresses(String(reflecting: Swift.type(of: type)))
        return metatype.hasSuffix(".Protocol")
            ? "(any \(full(type))).self"
            : "\(metatype.dropLast(".Type".count)).self"
    }

    private static func withoutAddresses(_ name: String) -> String {
        // `Module.(unknown context at $7f9a1c).Name`
        guard name.utf8.contains(UInt8(ascii: "$")) else { return name }
        return name.replacing(/\(unknown context at [^)]*\)\.?/, with: "")
    }
}
