//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Macros
import SwiftDiagnostics
import SwiftSyntax

/// What a macro says against a declaration, or the name of what mends it.
struct MacroDiagnostic: DiagnosticMessage, FixItMessage {
    let message: String
    let severity = DiagnosticSeverity.error

    init(_ message: String) {
        self.message = message
    }

    var diagnosticID: MessageID { MessageID(domain: "Headrace", id: message) }
    var fixItID: MessageID { diagnosticID }

    /// Complains at `node`, without a way to mend it.
    func diagnostic(at node: some SyntaxProtocol) -> Diagnostic {
        Diagnostic(node: node, message: self)
    }

    /// Complains of `attribute`, and offers to remove it.
    func diagnostic(removing attribute: AttributeSyntax) -> Diagnostic {
        // The attribute may be detached from its declaration here, so it is its text that goes.
        let nothing = TokenSyntax.identifier("").with(\.leadingTrivia, attribute.leadingTrivia)
        let fix = FixIt(
            message: MacroDiagnostic("Remove '\(attribute.trimmedDescription)'"),
            changes: [.replace(oldNode: Syntax(attribute), newNode: Syntax(nothing))]
        )
        return Diagnostic(node: attribute, message: self, fixIts: [fix])
    }

    /// The error that has this complaint only.
    func error(removing attribute: AttributeSyntax) -> DiagnosticsError {
        DiagnosticsError(diagnostics: [diagnostic(removing: attribute)])
    }
}
#endif
