//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Expands `@Inject` to a getter; see the macro's declaration for what it promises.
enum InjectMacro: AccessorMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let variable = declaration.as(VariableDeclSyntax.self), let binding = variable.bindings.first else {
            throw MacroDiagnostic("'@Inject' can only be attached to a property").error(removing: node)
        }

        var complaints: [Diagnostic] = []
        if variable.bindingSpecifier.tokenKind == .keyword(.let) {
            let fix = FixIt(
                message: MacroDiagnostic("Replace 'let' with 'var'"),
                changes: [
                    .replace(
                        oldNode: Syntax(variable.bindingSpecifier),
                        newNode: Syntax(variable.bindingSpecifier.with(\.tokenKind, .keyword(.var)))
                    )
                ]
            )
            complaints.append(
                Diagnostic(
                    node: variable.bindingSpecifier,
                    message: MacroDiagnostic("'@Inject' resolves its property at each access; make it a 'var'"),
                    fixIts: [fix]
                )
            )
        }
        if let initializer = binding.initializer {
            complaints.append(
                MacroDiagnostic("'@Inject' brings the value of its property; remove the other one").diagnostic(
                    at: initializer)
            )
        }
        guard complaints.isEmpty else { throw DiagnosticsError(diagnostics: complaints) }

        let arguments = node.arguments?.trimmedDescription ?? ""
        return ["get { HeadraceResolution.Inject(\(raw: arguments)).wrappedValue }"]
    }
}
#endif
