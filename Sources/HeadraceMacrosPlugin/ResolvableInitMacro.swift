//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Expands `@ResolvableInit` to nothing, after a look at where it is.
enum ResolvableInitMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let initialiser = declaration.as(InitializerDeclSyntax.self) else {
            throw MacroDiagnostic("'@ResolvableInit' can only be attached to an initialiser").error(removing: node)
        }

        let surroundings = context.lexicalContext.first?.asProtocol((any WithAttributesSyntax).self)
        guard surroundings?.attributes.contains(attributeNamed: "Resolvable") == true else {
            throw MacroDiagnostic(
                "'@ResolvableInit' only counts in the body of a type that has '@Resolvable'; move '"
                    + initialiser.fullName + "' there"
            )
            .error(removing: node)
        }
        return []
    }
}
#endif
