// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Adds a key for a property of `EnvironmentValues`.
///
/// The default value is created for each access.
enum EntryMacro: AccessorMacro, PeerMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        let property = try entry(declaration)
        return [
            "get { self[__Key_\(raw: property.name).self] }",
            "set { self[__Key_\(raw: property.name).self] = newValue }",
        ]
    }

    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let property = try entry(declaration)
        return [
            """
            private struct __Key_\(raw: property.name): SwiftUI.EnvironmentKey {
                typealias Value = \(raw: property.type ?? "")
                static var defaultValue: Value { \(raw: property.initialValue ?? "nil") }
            }
            """
        ]
    }

    private static func entry(_ declaration: some DeclSyntaxProtocol) throws -> StoredProperty {
        guard let property = StoredProperty(declaration), property.type != nil else {
            throw StandInError(description: "The stand-in of '@Entry' requires a 'var' with a type")
        }
        return property
    }
}
