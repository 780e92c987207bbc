// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax

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
#endif
