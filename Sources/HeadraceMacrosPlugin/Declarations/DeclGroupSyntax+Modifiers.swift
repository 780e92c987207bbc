// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax
import SwiftSyntaxMacros

extension DeclGroupSyntax {
    /// Returns the access modifier that makes a member as visible as its type, followed by a space.
    ///
    /// It is empty for `internal` and below. A type without a modifier takes the access level of the extension around it.
    func accessModifier(in context: some MacroExpansionContext) -> String {
        let enclosing = context.lexicalContext.first?.as(ExtensionDeclSyntax.self)
        for modifiers in [modifiers, enclosing?.modifiers] {
            switch modifiers?.accessLevel {
            case .open, .public: return "public "
            case .package: return "package "
            case nil: continue
            default: return ""
            }
        }
        return ""
    }

    var isFinal: Bool {
        modifiers.contains(keyword: .final)
    }

    /// The attribute with the name of a global actor, by its suffix `Actor`.
    var globalActor: AttributeSyntax? { attributes.globalActor }
}

extension DeclModifierListSyntax {
    func first(keyword: Keyword) -> DeclModifierSyntax? {
        first { $0.name.tokenKind == .keyword(keyword) }
    }

    func contains(keyword: Keyword) -> Bool {
        first(keyword: keyword) != nil
    }

    /// The access level of the declaration; a modifier such as `private(set)` doesn't count.
    fileprivate var accessLevel: Keyword? {
        let levels: [Keyword] = [.open, .public, .package, .internal, .fileprivate, .private]
        return levels.first { level in
            contains { $0.name.tokenKind == .keyword(level) && $0.detail == nil }
        }
    }
}

extension AttributeListSyntax {
    /// The attribute with the name of a global actor, by its suffix `Actor`.
    var globalActor: AttributeSyntax? {
        lazy.compactMap { $0.as(AttributeSyntax.self) }.first { $0.simpleName.hasSuffix("Actor") }
    }

    func first(named name: String) -> AttributeSyntax? {
        lazy.compactMap { $0.as(AttributeSyntax.self) }.first { $0.simpleName == name }
    }

    func contains(attributeNamed name: String) -> Bool {
        first(named: name) != nil
    }
}

extension AttributeSyntax {
    /// The name without its module and generic arguments.
    var simpleName: String {
        if let member = attributeName.as(MemberTypeSyntax.self) {
            return member.name.text
        }
        return attributeName.as(IdentifierTypeSyntax.self)?.name.text ?? attributeName.trimmedDescription
    }
}
#endif
