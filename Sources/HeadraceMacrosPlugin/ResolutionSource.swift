// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// The source of a type's `init(scope:)`.
enum ResolutionSource {
    /// The type declares it.
    case written(InitializerDeclSyntax)

    /// The macro writes it, and it calls this initializer.
    case initializer(InitializerDeclSyntax)

    /// The macro writes it, and it resolves the stored properties among these members.
    case storedProperties(MemberBlockItemListSyntax)

    /// Reads `declaration`.
    ///
    /// - Throws: One `DiagnosticsError` with all diagnostics.
    init(of declaration: some DeclGroupSyntax, reportingAt node: AttributeSyntax) throws {
        if let reason = declaration.whyNotResolvable {
            throw MacroDiagnostic("'@Resolvable' can only be attached to a class, struct or actor: \(reason)")
                .error(removing: node)
        }

        let initializers = declaration.memberBlock.members.compactMap { member in
            member.decl.as(InitializerDeclSyntax.self)
        }
        if let written = initializers.first(where: { $0.labels == ["scope"] }) {
            self = .written(written)
            return
        }

        let choice = InitializerChoice(
            among: initializers.filter { !$0.isUnavailable },
            hidden: declaration.memberBlock.members.initializersInIfConfigs
        )
        let diagnostics = choice.diagnostics(reportingAt: node)
        guard diagnostics.isEmpty else { throw DiagnosticsError(diagnostics: diagnostics) }

        if let chosen = choice.chosen {
            self = .initializer(chosen)
        } else {
            self = .storedProperties(declaration.memberBlock.members)
        }
    }

    /// Whether `init(scope:)` is isolated to the global actor in the attributes of `declaration`.
    ///
    /// A handler may be created anywhere, because commands and events come from any actor.
    func isIsolated(in declaration: some DeclGroupSyntax) -> Bool {
        guard declaration.globalActor != nil else { return false }

        switch self {
        case .written(let initializer), .initializer(let initializer):
            return !initializer.modifiers.contains(keyword: .nonisolated)
        case .storedProperties:
            return !declaration.hasIsolatedHandler
        }
    }
}

extension DeclGroupSyntax {
    fileprivate var whyNotResolvable: String? {
        switch kind {
        case .classDecl, .structDecl, .actorDecl: nil
        case .enumDecl: "an enum has no stored properties to resolve"
        case .protocolDecl: "a protocol has no stored properties to resolve; let it inherit 'Resolvable'"
        default: "an extension does not see the stored properties; attach it to the type itself"
        }
    }
}

extension ResolutionSource {
    /// Returns the `dependencies` of the `init(scope:)`, or `nil` if that is written by hand.
    func statement(of declaration: some DeclGroupSyntax, access: String) -> DeclSyntax? {
        let types: [TypeSyntax?]
        let lines: [String]
        switch self {
        case .written:
            return nil
        case .initializer(let initializer):
            types = initializer.resolvedParameters.map(\.type)
            lines = initializer.resolvedParameters.map { ".on(\($0.type.resolvedMetatype))" }
        case .storedProperties(let members):
            types = members.resolvedProperties.map(\.type)
            lines = members.linesForResolvedProperties { property in
                property.type.map { ".on(\($0.resolvedMetatype))" }
            }
        }

        // The type of a property may be inferred from its wrapper. The macro can't see such a type.
        let beginning = types.contains { $0 == nil } ? ".unknown" : "(\(declaration.declarer))"
        let text =
            [
                "\(access)nonisolated static var dependencies: HeadraceResolution.Dependencies {",
                "    HeadraceResolution.Dependencies\(beginning)",
            ] + lines.map { "        \($0)" } + ["}"]
        return "\(raw: text.joined(separator: "\n"))"
    }
}

extension DeclGroupSyntax {
    /// Whether the type declares `dependencies`.
    var statesDependencies: Bool {
        memberBlock.members.contains { member in
            guard let variable = member.decl.as(VariableDeclSyntax.self), variable.isTypeProperty else { return false }
            return variable.bindings.contains { $0.pattern.names.contains("dependencies") }
        }
    }

    /// Whether a class may inherit its conformance: the compiler finds it, and the class doesn't state it.
    ///
    /// Then its initializer overrides a required one, and `dependencies` can't be declared again.
    func mayInheritConformance(missing protocols: [TypeSyntax]) -> Bool {
        guard protocols.isEmpty, self.is(ClassDeclSyntax.self), let inheritanceClause else { return false }
        return !inheritanceClause.inheritedTypes.contains { $0.type.simpleName == "Resolvable" }
    }

    /// The argument that limits the statement of a class to that class.
    fileprivate var declarer: String {
        guard !isFinal, let declaration = self.as(ClassDeclSyntax.self) else { return "" }
        return "of: \(declaration.name.text).self"
    }
}

extension TypeSyntax {
    /// The name without its module.
    fileprivate var simpleName: String? {
        self.as(MemberTypeSyntax.self)?.name.text ?? self.as(IdentifierTypeSyntax.self)?.name.text
    }

    /// The type as an argument of `resolve`, without the attributes of a parameter.
    fileprivate var resolvedMetatype: String {
        let type = resolved
        let needsNoParentheses: [SyntaxKind] = [
            .identifierType, .memberType, .arrayType, .dictionaryType, .optionalType, .tupleType,
        ]
        let text = type.trimmedDescription
        return needsNoParentheses.contains(type.kind) ? "\(text).self" : "(\(text)).self"
    }

    private var resolved: TypeSyntax {
        if let unwrapped = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            return TypeSyntax(OptionalTypeSyntax(wrappedType: unwrapped.wrappedType.trimmed))
        }
        guard let attributed = self.as(AttributedTypeSyntax.self) else { return self }

        if attributed.attributes.contains(attributeNamed: "autoclosure"),
            let function = attributed.baseType.as(FunctionTypeSyntax.self)
        {
            return function.returnClause.type.resolved
        }
        let attributes = attributed.attributes.filter { element in
            element.as(AttributeSyntax.self)?.simpleName != "escaping"
        }
        guard !attributes.isEmpty else { return attributed.baseType.resolved }
        return TypeSyntax(attributed.with(\.specifiers, []).with(\.attributes, attributes))
    }
}
#endif
