// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Expands `@Resolved` to a getter.
///
/// The declaration of the macro has the contract.
enum ResolvedMacro: AccessorMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let variable = declaration.as(VariableDeclSyntax.self), let binding = variable.bindings.first else {
            throw MacroDiagnostic("'@Resolved' can only be attached to a property").error(removing: node)
        }

        var diagnostics = variable.diagnosticsUnlessVariable(
            "'@Resolved' resolves the property at each access; declare it with 'var'"
        )
        if let initializer = binding.initializer {
            diagnostics.append(
                MacroDiagnostic("'@Resolved' supplies the value of the property; remove this value").diagnostic(
                    at: initializer)
            )
        } else if binding.typeAnnotation == nil {
            diagnostics.append(
                MacroDiagnostic("'@Resolved' needs the type of '\(binding.pattern.trimmedDescription)' to resolve it")
                    .diagnostic(at: binding.pattern)
            )
        }
        if let accessors = binding.accessorBlock {
            diagnostics.append(
                MacroDiagnostic("'@Resolved' makes the property computed; remove its accessors").diagnostic(
                    at: accessors)
            )
        }
        guard diagnostics.isEmpty else { throw DiagnosticsError(diagnostics: diagnostics) }
        return ["get { scope.resolve() }"]
    }
}
#endif
