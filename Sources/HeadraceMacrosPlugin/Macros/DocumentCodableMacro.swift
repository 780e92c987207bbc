// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Expands `@DocumentCodable`.
///
/// The declaration of the macro has the contract.
enum DocumentCodableMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard declaration.is(StructDeclSyntax.self) || declaration.is(EnumDeclSyntax.self) else {
            throw MacroDiagnostic(
                "'@DocumentCodable' can only be attached to a struct or an enumeration; use '@DomainEntity' for an entity"
            ).error(removing: node)
        }
        guard !protocols.isEmpty else { return [] }

        try declaration.checkReach(ofExtensionBy: node, in: context)
        let access = declaration.accessModifier(in: context)
        let members: [DeclSyntax]
        switch declaration.codedProperties() {
        case .unsupported(let reason):
            throw MacroDiagnostic("'@DocumentCodable' can't write this type, because \(reason); 'Codable' can")
                .error(removing: node)
        case .properties(let properties):
            members =
                declaration.hasRawValue
                ? [CodedProperty].rawValueCoding(access: access) : properties.coding(access: access)
        }
        return [
            try ExtensionDeclSyntax("extension \(type.trimmed): HeadraceDomain.DocumentCodable") {
                for member in members { member }
            }
        ]
    }
}
#endif
