// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Expands `@Cases`.
///
/// The declaration of the macro has the contract.
enum CasesMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let type = declaration.as(EnumDeclSyntax.self) else {
            throw MacroDiagnostic("'@Cases' can only be attached to an enumeration").error(removing: node)
        }
        try requireDistinctNames(type.cases)
        let access = type.accessModifier(in: context)
        let members = type.cases.compactMap { property(for: $0, of: type.name.trimmed, access: access) }
        return [
            DeclSyntax(
                try EnumDeclSyntax("\(raw: access)enum Cases") {
                    for member in members { member }
                }
            )
        ]
    }

    private static func requireDistinctNames(_ cases: [EnumCaseElementSyntax]) throws {
        var names: Set<String> = []
        guard let repeated = cases.first(where: { !names.insert($0.name.text).inserted }) else { return }
        throw DiagnosticsError(diagnostics: [
            MacroDiagnostic(
                "'@Cases' needs a name for each case, and '\(repeated.name.text)' is the name of two; rename one of them"
            )
            .diagnostic(at: repeated)
        ])
    }

    /// Returns the property for a case; `nil` for a case without an associated value, or with more than two.
    private static func property(
        for element: EnumCaseElementSyntax,
        of root: TokenSyntax,
        access: String
    ) -> DeclSyntax? {
        let types = element.parameterClause?.parameters.map(\.type.trimmed) ?? []
        let name = element.name.trimmed
        guard let first = types.first, types.count <= 2 else { return nil }
        let isPair = types.count == 2
        let value = isPair ? "(\(first), \(types[1]))" : "\(first)"
        let pattern = isPair ? "let first, let second" : "let value"
        let result = isPair ? "(first, second)" : "value"
        return """
            \(raw: access)static var \(name): HeadraceStations.Case<\(root), \(raw: value)> {
                HeadraceStations.Case(\(root).\(name)) {
                    if case .\(name)(\(raw: pattern)) = $0 { \(raw: result) } else { nil }
                }
            }
            """
    }
}

extension EnumDeclSyntax {
    /// The cases, in their order.
    fileprivate var cases: [EnumCaseElementSyntax] {
        memberBlock.members.compactMap { $0.decl.as(EnumCaseDeclSyntax.self) }.flatMap(\.elements)
    }
}
#endif
