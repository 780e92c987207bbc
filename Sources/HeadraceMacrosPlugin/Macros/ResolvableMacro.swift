// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// Expands `@Resolvable`.
///
/// The declaration of the macro has the contract.
enum ResolvableMacro: MemberMacro, ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        // The extension role reports errors, because it is always expanded; this role isn't expanded in an enum, for
        // example. On an extension, only this role is expanded.
        guard !declaration.is(ExtensionDeclSyntax.self) else {
            _ = try ResolutionSource(of: declaration, reportingAt: node)
            return []
        }
        guard let source = try? ResolutionSource(of: declaration, reportingAt: node) else { return [] }

        let overrides = declaration.mayInheritConformance(missing: protocols)
        var members: [DeclSyntax?] = []
        if !declaration.is(StructDeclSyntax.self) {
            members.append(initializer(from: source, in: declaration, context, overrides: overrides))
        }
        if !overrides, !declaration.statesDependencies {
            members.append(source.statement(of: declaration, access: declaration.accessModifier(in: context)))
        }
        return members.compactMap(\.self)
    }

    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard !declaration.is(ExtensionDeclSyntax.self) else { return [] }

        let source = try ResolutionSource(of: declaration, reportingAt: node)
        let attribute = source.isIsolated(in: declaration) ? "@preconcurrency " : ""
        let inheritance = protocols.isEmpty ? "" : ": \(attribute)HeadraceResolution.Resolvable"
        let member =
            declaration.is(StructDeclSyntax.self) ? initializer(from: source, in: declaration, context) : nil
        guard !protocols.isEmpty || member != nil else { return [] }

        try declaration.checkReach(ofExtensionBy: node, in: context)
        let header: SyntaxNodeString = "extension \(type.trimmed)\(raw: inheritance)"
        return [
            try ExtensionDeclSyntax(header) {
                if let member { member }
            }
        ]
    }

    /// Returns the `init(scope:)`, or `nil` if the type declares it.
    private static func initializer(
        from source: ResolutionSource,
        in declaration: some DeclGroupSyntax,
        _ context: some MacroExpansionContext,
        overrides: Bool = false
    ) -> DeclSyntax? {
        let body: [String]
        switch source {
        case .written:
            return nil
        case .initializer(let initializer):
            body = ["self.init(\(initializer.resolvedArguments.joined(separator: ", ")))"]
        case .storedProperties(let members):
            body = members.linesForResolvedProperties { "self.\($0.name) = scope.resolve()" }
        }

        var modifiers = declaration.accessModifier(in: context)
        if !declaration.is(ActorDeclSyntax.self), !source.isIsolated(in: declaration) {
            modifiers += "nonisolated "
        }
        if declaration.is(ClassDeclSyntax.self) {
            modifiers += declaration.isFinal && !overrides ? "" : "required "
            if case .initializer = source {
                modifiers += "convenience "
            }
        }
        let lines =
            ["\(modifiers)init(scope: any HeadraceResolution.DependencyResolutionScope) {"]
            + body.map { "    \($0)" }
            + ["}"]
        return "\(raw: lines.joined(separator: "\n"))"
    }
}

extension InitializerDeclSyntax {
    /// One `label: scope.resolve()` for each parameter without a default value.
    fileprivate var resolvedArguments: [String] {
        resolvedParameters.map { parameter in
            parameter.firstName.tokenKind == .wildcard
                ? "scope.resolve()"
                : "\(parameter.firstName.text): scope.resolve()"
        }
    }
}
#endif
