// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// A `var` with one name and without accessors.
struct StoredProperty {
    let name: String
    let type: String?
    let initialValue: String?

    init?(_ declaration: some DeclSyntaxProtocol) {
        guard
            let variable = declaration.as(VariableDeclSyntax.self),
            variable.bindingSpecifier.tokenKind == .keyword(.var),
            variable.bindings.count == 1,
            let binding = variable.bindings.first,
            binding.accessorBlock == nil,
            let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
        else { return nil }
        name = pattern.identifier.text
        type = binding.typeAnnotation?.type.trimmedDescription
        initialValue = binding.initializer?.value.trimmedDescription
    }
}

struct StandInError: Error, CustomStringConvertible {
    let description: String
}
