// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Expands `@Inject` to a getter.
///
/// The declaration of the macro has the contract.
enum InjectMacro: AccessorMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let variable = declaration.as(VariableDeclSyntax.self), let binding = variable.bindings.first else {
            throw MacroDiagnostic("'@Inject' can only be attached to a property").error(removing: node)
        }

        var diagnostics = variable.diagnosticsUnlessVariable(
            "'@Inject' resolves the property at each access; declare it with 'var'"
        )
        if let initializer = binding.initializer {
            diagnostics.append(
                MacroDiagnostic("'@Inject' supplies the value of the property; remove this value").diagnostic(
                    at: initializer)
            )
        }
        guard diagnostics.isEmpty else { throw DiagnosticsError(diagnostics: diagnostics) }

        let arguments = node.arguments?.trimmedDescription ?? ""
        return ["get { HeadraceResolution.Inject(\(raw: arguments)).wrappedValue }"]
    }
}
#endif
