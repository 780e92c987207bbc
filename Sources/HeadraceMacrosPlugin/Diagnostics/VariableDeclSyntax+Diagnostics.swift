// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax

extension VariableDeclSyntax {
    /// Returns `message` at a `let`, with a fix-it that replaces it with `var`; empty for a `var`.
    func diagnosticsUnlessVariable(_ message: String) -> [Diagnostic] {
        guard bindingSpecifier.tokenKind != .keyword(.var) else { return [] }
        let fix = FixIt(
            message: MacroDiagnostic("Replace 'let' with 'var'"),
            changes: [
                .replace(
                    oldNode: Syntax(bindingSpecifier),
                    newNode: Syntax(bindingSpecifier.with(\.tokenKind, .keyword(.var)))
                )
            ]
        )
        return [Diagnostic(node: bindingSpecifier, message: MacroDiagnostic(message), fixIts: [fix])]
    }
}
#endif
