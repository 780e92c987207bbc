// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
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

extension ResolvableMacro: MemberAttributeMacro {
    /// Isolates `handle` to the global actor of its handler.
    ///
    /// The protocols of handlers require a method that runs on its caller's actor. The compiler infers the isolation of a
    /// method from the protocol before it looks at the type.
    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard let actor = declaration.globalActor, let function = member.as(FunctionDeclSyntax.self) else { return [] }
        return function.isHandler && !function.statesIsolation ? [actor.trimmed] : []
    }
}

/// Expands `@ResolvableInit` to nothing, after checking its position.
enum ResolvableInitMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let initializer = declaration.as(InitializerDeclSyntax.self) else {
            throw MacroDiagnostic("'@ResolvableInit' can only be attached to an initializer").error(removing: node)
        }

        let surroundings = context.lexicalContext.first?.asProtocol((any WithAttributesSyntax).self)
        guard surroundings?.attributes.contains(attributeNamed: "Resolvable") == true else {
            throw MacroDiagnostic(
                "'@ResolvableInit' has an effect only in the body of a type with '@Resolvable'; move '"
                    + initializer.fullName + "' there"
            )
            .error(removing: node)
        }
        return []
    }
}

/// Expands `@Resolved` to a getter.
///
/// The declaration of the macro has the contract.
enum ResolvedMacro: AccessorMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let variable = declaration.as(VariableDeclSyntax.self), let binding = variable.bindings.first else {
            throw MacroDiagnostic("'@Resolved' can only be attached to a property").error(removing: node)
        }

        var diagnostics = variable.diagnosticsUnlessVariable(
            "'@Resolved' resolves the property at each access; declare it with 'var'"
        )
        if let initializer = binding.initializer {
            diagnostics.append(
                MacroDiagnostic("'@Resolved' supplies the value of the property; remove this value").diagnostic(
                    at: initializer)
            )
        } else if binding.typeAnnotation == nil {
            diagnostics.append(
                MacroDiagnostic("'@Resolved' needs the type of '\(binding.pattern.trimmedDescription)' to resolve it")
                    .diagnostic(at: binding.pattern)
            )
        }
        if let accessors = binding.accessorBlock {
            diagnostics.append(
                MacroDiagnostic("'@Resolved' makes the property computed; remove its accessors").diagnostic(
                    at: accessors)
            )
        }
        guard diagnostics.isEmpty else { throw DiagnosticsError(diagnostics: diagnostics) }
        return ["get { scope.resolve() }"]
    }
}

/// Expands `@ResolvedScope`.
///
/// The declaration of the macro has the contract.
enum ResolvedScopeMacro: MemberMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard declaration.is(StructDeclSyntax.self) else {
            throw MacroDiagnostic(
                "'@ResolvedScope' can only be attached to a struct: only a SwiftUI view has an environment"
            )
            .error(removing: node)
        }
        return [#"@SwiftUI.Environment(\.scope) private var scope"#]
    }
}

/// Expands `@Inject` to a getter.
///
/// The declaration of the macro has the contract.
enum InjectMacro: AccessorMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let variable = declaration.as(VariableDeclSyntax.self), let binding = variable.bindings.first else {
            throw MacroDiagnostic("'@Inject' can only be attached to a property").error(removing: node)
        }

        var diagnostics = variable.diagnosticsUnlessVariable(
            "'@Inject' resolves the property at each access; declare it with 'var'"
        )
        if let initializer = binding.initializer {
            diagnostics.append(
                MacroDiagnostic("'@Inject' supplies the value of the property; remove this value").diagnostic(
                    at: initializer)
            )
        }
        guard diagnostics.isEmpty else { throw DiagnosticsError(diagnostics: diagnostics) }

        let arguments = node.arguments?.trimmedDescription ?? ""
        return ["get { HeadraceResolution.Inject(\(raw: arguments)).wrappedValue }"]
    }
}
#endif
