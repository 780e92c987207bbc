// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax

/// The message of a macro about a declaration, or the title of a fix-it.
struct MacroDiagnostic: DiagnosticMessage, FixItMessage {
    let message: String
    let severity = DiagnosticSeverity.error

    init(_ message: String) {
        self.message = message
    }

    var diagnosticID: MessageID { MessageID(domain: "Headrace", id: message) }
    var fixItID: MessageID { diagnosticID }

    /// Returns a diagnostic at `node`, without a fix-it.
    func diagnostic(at node: some SyntaxProtocol) -> Diagnostic {
        Diagnostic(node: node, message: self)
    }

    /// Returns a diagnostic at `attribute`, with a fix-it that removes the attribute.
    func diagnostic(removing attribute: AttributeSyntax) -> Diagnostic {
        // The attribute may be detached from its declaration here, so the fix-it removes its text.
        let nothing = TokenSyntax.identifier("").with(\.leadingTrivia, attribute.leadingTrivia)
        let fix = FixIt(
            message: MacroDiagnostic("Remove '\(attribute.trimmedDescription)'"),
            changes: [.replace(oldNode: Syntax(attribute), newNode: Syntax(nothing))]
        )
        return Diagnostic(node: attribute, message: self, fixIts: [fix])
    }

    /// Returns an error with this diagnostic only.
    func error(removing attribute: AttributeSyntax) -> DiagnosticsError {
        DiagnosticsError(diagnostics: [diagnostic(removing: attribute)])
    }
}
#endif
