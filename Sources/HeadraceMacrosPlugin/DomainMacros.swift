// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Expands `@DomainEntity`.
///
/// The declaration of the macro has the contract.
enum DomainEntityMacro: MemberMacro, ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        // The extension role reports errors, because it is always expanded; this role isn't expanded in an enum, for
        // example. On an extension, only this role is expanded.
        guard !declaration.is(ExtensionDeclSyntax.self) else { throw declaration.notAnEntity(reportingAt: node) }
        guard let type = declaration.as(ClassDeclSyntax.self) else { return [] }
        let events = declaration.declaresRaisedEvents ? [] : [events(of: declaration, in: context)]
        guard type.isStoredByItself, case .properties(let properties) = declaration.codedProperties() else {
            return events
        }
        return events + properties.coding(access: declaration.accessModifier(in: context))
    }

    private static func events(
        of declaration: some DeclGroupSyntax,
        in context: some MacroExpansionContext
    ) -> DeclSyntax {
        // Unqualified, because SwiftData and Observation look for these names without their module.
        var attributes = ""
        if declaration.attributes.contains(attributeNamed: "Model") {
            attributes += "@Transient "
        }
        if declaration.attributes.contains(attributeNamed: "Observable") {
            attributes += "@ObservationIgnored "
        }
        let access = declaration.accessModifier(in: context)
        return "\(raw: attributes)\(raw: access)var raisedEvents = HeadraceDomain.RaisedEvents()"
    }

    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard !declaration.is(ExtensionDeclSyntax.self) else { return [] }
        guard declaration.is(ClassDeclSyntax.self) else { throw declaration.notAnEntity(reportingAt: node) }
        guard !protocols.isEmpty else { return [] }

        try declaration.checkReach(ofExtensionBy: node, in: context)
        let isolation = declaration.globalActor.map { "\($0.trimmedDescription) " } ?? ""
        return [
            try ExtensionDeclSyntax(
                "extension \(type.trimmed): \(raw: isolation)HeadraceDomain.HasDomainEvents {}"
            )
        ]
    }
}

extension ClassDeclSyntax {
    /// Whether the class is a stored entity with all its state, so that the macro can write an initializer.
    ///
    /// A superclass is the first inherited type. Without a designated initializer, a class can have an implicit initializer,
    /// which another initializer would replace.
    fileprivate var isStoredByItself: Bool {
        let protocols = inheritedNames
        guard isFinal, let first = protocols.first, Self.commonProtocols.contains(first) else { return false }
        let hasInitializer = memberBlock.members.contains { member in
            member.decl.as(InitializerDeclSyntax.self).map { !$0.modifiers.contains(keyword: .convenience) } ?? false
        }
        return hasInitializer && protocols.contains("StoredEntity")
    }

    private static let commonProtocols: Set = [
        "Codable", "Comparable", "CustomStringConvertible", "Decodable", "Encodable", "Equatable", "HasDomainEvents",
        "Hashable", "Identifiable", "StoredEntity",
    ]
}

extension DeclGroupSyntax {
    fileprivate var declaresRaisedEvents: Bool {
        memberBlock.members.contains { member in
            guard let variable = member.decl.as(VariableDeclSyntax.self), !variable.isTypeProperty else {
                return false
            }
            return variable.bindings.contains { $0.pattern.names.contains("raisedEvents") }
        }
    }

    fileprivate func notAnEntity(reportingAt node: AttributeSyntax) -> DiagnosticsError {
        let reason =
            switch kind {
            case .structDecl: "a unit of work takes the events from the entity itself, and a struct is copied"
            case .enumDecl: "a unit of work takes the events from the entity itself, and an enum is copied"
            case .actorDecl: "a unit of work takes the events synchronously, and an actor has to be awaited"
            case .protocolDecl: "a protocol stores nothing; let it inherit 'HasDomainEvents'"
            default: "an extension stores nothing; attach it to the class itself"
            }
        return MacroDiagnostic("'@DomainEntity' can only be attached to a class: \(reason)").error(removing: node)
    }
}

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
