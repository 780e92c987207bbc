// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

extension DeclGroupSyntax {
    /// Checks that an extension at the top of the file can name this type.
    ///
    /// It can't if this type, or a type around it, is private to another type.
    func checkReach(ofExtensionBy node: AttributeSyntax, in context: some MacroExpansionContext) throws {
        if !context.lexicalContext.isEmpty, let modifier = modifiers.first(keyword: .private) {
            let fix = FixIt(
                message: MacroDiagnostic("Replace 'private' with 'fileprivate'"),
                changes: [
                    .replace(
                        oldNode: Syntax(modifier),
                        newNode: Syntax(modifier.with(\.name.tokenKind, .keyword(.fileprivate)))
                    )
                ]
            )
            throw DiagnosticsError(diagnostics: [
                Diagnostic(
                    node: modifier,
                    message: MacroDiagnostic(
                        "\(node.quotedName) cannot extend a type that is private to another; make it 'fileprivate'"
                    ),
                    fixIts: [fix]
                )
            ])
        }

        let enclosing = context.lexicalContext.dropLast().compactMap { $0.asProtocol((any DeclGroupSyntax).self) }
        if enclosing.contains(where: { $0.modifiers.contains(keyword: .private) }) {
            throw DiagnosticsError(diagnostics: [
                MacroDiagnostic(
                    "\(node.quotedName) cannot extend a type inside one that is private to another; "
                        + "make that one 'fileprivate'"
                )
                .diagnostic(at: node)
            ])
        }
    }
}

extension AttributeSyntax {
    /// The name at the beginning of messages: `'@Resolvable'`.
    fileprivate var quotedName: String {
        "'@\(simpleName)'"
    }
}
#endif
