// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder

/// A stored property that `Codable` encodes.
struct CodedProperty {
    /// The name without backticks, which is the key.
    let key: String

    /// The name as it is written.
    let name: String

    /// The type, or `nil` if it follows from a value that isn't a literal.
    let type: String?
}

/// The stored properties of a type, or the reason for which only `Codable` can encode it.
enum CodedProperties {
    /// The properties in the order of their keys.
    case properties([CodedProperty])

    /// The reason as a clause: "it is generic".
    case unsupported(String)
}

extension [CodedProperty] {
    /// The methods of `DocumentCodable`.
    func coding(access: String) -> [DeclSyntax] {
        let writes = map { "try encoder.encode(self.\($0.name), forKey: \"\($0.key)\")\n    " }.joined()
        let reads = map { property in
            let type = property.type.map { "\($0).self, " } ?? ""
            return "self.\(property.name) = try decoder.decode(\(type)forKey: \"\(property.key)\")\n    "
        }
        .joined()
        return [
            """
            \(raw: access)func encode(to encoder: inout HeadraceDomain.DocumentEncoder) throws {
                try encoder.beginObject()
                \(raw: writes)encoder.endObject()
            }
            """,
            """
            \(raw: access)init(from decoder: inout HeadraceDomain.DocumentDecoder) throws {
                try decoder.beginObject()
                \(raw: reads)try decoder.endObject()
            }
            """,
        ]
    }

    /// The methods of `DocumentCodable` of a type that is encoded as its raw value.
    static func rawValueCoding(access: String) -> [DeclSyntax] {
        [
            """
            \(raw: access)func encode(to encoder: inout HeadraceDomain.DocumentEncoder) throws {
                try self.rawValue.encode(to: &encoder)
            }
            """,
            """
            \(raw: access)init(from decoder: inout HeadraceDomain.DocumentDecoder) throws {
                self = try decoder.decode(rawValueOf: Self.self)
            }
            """,
        ]
    }
}

extension DeclGroupSyntax {
    /// The names of the inherited types, without their modules.
    var inheritedNames: [String] {
        (inheritanceClause?.inheritedTypes ?? []).map { inherited in
            let type = inherited.type.as(AttributedTypeSyntax.self)?.baseType ?? inherited.type
            return type.as(MemberTypeSyntax.self)?.name.text ?? type.trimmedDescription
        }
    }

    /// Whether the type is encoded as its raw value.
    var hasRawValue: Bool {
        self.is(EnumDeclSyntax.self) || !Self.rawValueProtocols.isDisjoint(with: inheritedNames)
    }

    /// The stored properties that `Codable` encodes, or the reason for which only `Codable` can.
    func codedProperties() -> CodedProperties {
        for attribute in attributes {
            let name = attribute.as(AttributeSyntax.self)?.simpleName ?? attribute.trimmedDescription
            if !Self.harmlessAttributes.contains(name) {
                return .unsupported("'@\(name)' may change how it is stored")
            }
        }
        if asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil {
            return .unsupported("it is generic")
        }
        if hasRawValue, !(rawTypeName.map(Self.rawTypes.contains) ?? false) {
            return .unsupported("it has no raw values of type 'String' or 'Int'")
        }
        var properties: [CodedProperty] = []
        for member in memberBlock.members {
            if let reason = member.decl.reasonForCodable { return .unsupported(reason) }
            guard let variable = member.decl.as(VariableDeclSyntax.self), !variable.isTypeProperty else { continue }
            switch variable.codedProperties(ignoring: self.is(ClassDeclSyntax.self) ? ["raisedEvents"] : []) {
            case .properties(let more): properties += more
            case .unsupported(let reason): return .unsupported(reason)
            }
        }
        return .properties(properties.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
    }

    /// The raw type of an enumeration, or the declared type of the property `rawValue`.
    private var rawTypeName: String? {
        if self.is(EnumDeclSyntax.self) { return inheritedNames.first }
        for member in memberBlock.members {
            for binding in member.decl.as(VariableDeclSyntax.self)?.bindings ?? []
            where binding.pattern.names.contains("rawValue") {
                return binding.typeAnnotation?.type.trimmedDescription
            }
        }
        return nil
    }

    private static var rawTypes: Set<String> { ["Int", "Int32", "Int64", "String"] }

    private static var rawValueProtocols: Set<String> { ["OptionSet", "RawRepresentable"] }

    private static var harmlessAttributes: Set<String> {
        ["available", "dynamicMemberLookup", "frozen", "usableFromInline", "DocumentCodable", "DomainEntity"]
    }
}

extension DeclSyntax {
    /// The reason for which a type with this member is left to `Codable`.
    fileprivate var reasonForCodable: String? {
        let name = asProtocol((any NamedDeclSyntax).self)?.name.text
        if name == "CodingKeys" { return "it declares 'CodingKeys'" }
        if self.is(IfConfigDeclSyntax.self) { return "it has members inside '#if'" }
        if self.is(MacroExpansionDeclSyntax.self) { return "it has members from another macro" }
        if let parameters = self.as(InitializerDeclSyntax.self)?.signature.parameterClause.parameters,
            parameters.count == 1, parameters.first?.firstName.text == "from"
        {
            return "it declares 'init(from:)'"
        }
        if name == "encode", let parameters = self.as(FunctionDeclSyntax.self)?.signature.parameterClause.parameters,
            parameters.count == 1, parameters.first?.firstName.text == "to"
        {
            return "it declares 'encode(to:)'"
        }
        return nil
    }
}

extension VariableDeclSyntax {
    fileprivate func codedProperties(ignoring ignoredKeys: Set<String>) -> CodedProperties {
        var properties: [CodedProperty] = []
        // In `let a, b: B`, both have the type of the last.
        var lastType: TypeSyntax?
        for binding in bindings.reversed() {
            if let annotation = binding.typeAnnotation { lastType = annotation.type }
            if binding.isComputed { continue }
            guard let identifier = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier else {
                return .unsupported("it declares properties as a tuple")
            }
            let name = identifier.text
            let key = identifier.identifier?.name ?? name
            if ignoredKeys.contains(key) { continue }
            if let reason = reasonForCodable(of: binding, key: key) { return .unsupported("'\(key)' \(reason)") }
            let type = binding.typeAnnotation?.type ?? (binding.initializer == nil ? lastType : nil)
            if let type, type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
                return .unsupported("'\(key)' is an implicitly unwrapped optional")
            }
            properties.append(
                CodedProperty(key: key, name: name, type: type?.trimmedDescription ?? binding.initializer?.literalType)
            )
        }
        return .properties(properties)
    }

    private func reasonForCodable(of binding: PatternBindingSyntax, key: String) -> String? {
        if let modifier = modifiers.first(where: { ["lazy", "weak", "unowned"].contains($0.name.text) }) {
            return "is \(modifier.name.text)"
        }
        if !attributes.isEmpty { return "has an attribute" }
        if bindingSpecifier.tokenKind == .keyword(.let), binding.initializer != nil {
            return "is a constant with a value"
        }
        let isPlain = key.wholeMatch(of: /[A-Za-z0-9_]+/) != nil
        return isPlain ? nil : "has a name with other characters than ASCII letters, digits, and underscores"
    }
}

extension InitializerClauseSyntax {
    /// The type of the literal; `nil` if the value isn't a literal.
    fileprivate var literalType: String? {
        switch value.kind {
        case .booleanLiteralExpr: "Bool"
        case .floatLiteralExpr: "Double"
        case .integerLiteralExpr: "Int"
        case .stringLiteralExpr: "String"
        default: nil
        }
    }
}
#endif
