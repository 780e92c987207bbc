// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Expands `@ResolvedScope`.
///
/// The declaration of the macro has the contract.
enum ResolvedScopeMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard declaration.is(StructDeclSyntax.self) else {
            throw MacroDiagnostic(
                "'@ResolvedScope' can only be attached to a struct: only a SwiftUI view has an environment"
            )
            .error(removing: node)
        }
        return [#"@SwiftUI.Environment(\.scope) private var scope"#]
    }
}
#endif
