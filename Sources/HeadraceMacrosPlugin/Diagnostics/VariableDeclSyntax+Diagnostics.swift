//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Macros
import SwiftDiagnostics
import SwiftSyntax

extension VariableDeclSyntax {
    /// Reports `message` at a `let` and offers to replace it with `var`; `nil` for a `var`.
    func diagnosticUnlessVariable(_ message: String) -> Diagnostic? {
        guard bindingSpecifier.tokenKind != .keyword(.var) else { return nil }
        let fix = FixIt(
            message: MacroDiagnostic("Replace 'let' with 'var'"),
            changes: [
                .replace(
                    oldNode: Syntax(bindingSpecifier),
                    newNode: Syntax(bindingSpecifier.with(\.tokenKind, .keyword(.var)))
                )
            ]
        )
        return Diagnostic(node: bindingSpecifier, message: MacroDiagnostic(message), fixIts: [fix])
    }
}
#endif
