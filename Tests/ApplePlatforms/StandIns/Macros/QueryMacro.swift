// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Makes a property read from a stored `Query` of the same type.
enum QueryMacro: AccessorMacro, PeerMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        ["get { _\(raw: try query(declaration).name).wrappedValue }"]
    }

    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let property = try query(declaration)
        let type = property.type ?? ""
        return [
            "private let _\(raw: property.name): SwiftData.Query<\(raw: type).Element, \(raw: type)> = .init()"
        ]
    }

    private static func query(_ declaration: some DeclSyntaxProtocol) throws -> StoredProperty {
        guard let property = StoredProperty(declaration), property.type != nil else {
            throw StandInError(description: "The stand-in of '@Query' requires a 'var' with a type")
        }
        return property
    }
}
