// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Makes a class a `PersistentModel`, and each of its stored properties that isn't transient a persisted one.
enum ModelMacro: MemberMacro, MemberAttributeMacro, ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        ["let persistentBackingData = SwiftData.BackingData()"]
    }

    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard let variable = member.as(VariableDeclSyntax.self), StoredProperty(variable) != nil else { return [] }
        let isStatic = variable.modifiers.contains { $0.name.tokenKind == .keyword(.static) }
        let isTransient = variable.attributes.contains {
            $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription == "Transient"
        }
        return isStatic || isTransient ? [] : ["@_PersistedProperty"]
    }

    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        try protocols.map { try ExtensionDeclSyntax("extension \(type.trimmed): \($0.trimmed) {}") }
    }
}

/// Keeps the value in a private stored property, and notifies the context of each change, with a closure that undoes
/// it.
enum PersistedPropertyMacro: AccessorMacro, PeerMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let name = StoredProperty(declaration)?.name else { return [] }
        return [
            """
            @storageRestrictions(initializes: _\(raw: name))
            init(initialValue) { _\(raw: name) = initialValue }
            """,
            "get { _\(raw: name) }",
            """
            set {
                let old = _\(raw: name)
                persistentBackingData.willChange(self) { $0._\(raw: name) = old }
                _\(raw: name) = newValue
            }
            """,
        ]
    }

    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let property = StoredProperty(declaration) else { return [] }
        guard let type = property.type else {
            throw StandInError(description: "The stand-in of '@Model' requires the type of '\(property.name)'")
        }
        let value = property.initialValue.map { " = \($0)" } ?? ""
        return ["@Transient private var _\(raw: property.name): \(raw: type)\(raw: value)"]
    }
}

/// Marks a property that isn't persisted.
enum TransientMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] { [] }
}
