// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Expands `@ResolvableInit` to nothing, after checking its position.
enum ResolvableInitMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let initializer = declaration.as(InitializerDeclSyntax.self) else {
            throw MacroDiagnostic("'@ResolvableInit' can only be attached to an initializer").error(removing: node)
        }

        let surroundings = context.lexicalContext.first?.asProtocol((any WithAttributesSyntax).self)
        guard surroundings?.attributes.contains(attributeNamed: "Resolvable") == true else {
            throw MacroDiagnostic(
                "'@ResolvableInit' has an effect only in the body of a type with '@Resolvable'; move '"
                    + initializer.fullName + "' there"
            )
            .error(removing: node)
        }
        return []
    }
}
#endif
