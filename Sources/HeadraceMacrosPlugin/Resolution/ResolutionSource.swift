//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Macros
import SwiftDiagnostics
import SwiftSyntax

/// Where a type's `init(scope:)` comes from.
enum ResolutionSource {
    /// It is there already.
    case written(InitializerDeclSyntax)

    /// It calls this initialiser.
    case initialiser(InitializerDeclSyntax)

    /// It gives the stored properties among these their values.
    case storedProperties(MemberBlockItemListSyntax)

    /// Looks through `declaration`.
    ///
    /// - Throws: One `DiagnosticsError` with every complaint.
    init(of declaration: some DeclGroupSyntax, reportingAt node: AttributeSyntax) throws {
        if let reason = declaration.whyNotResolvable {
            throw MacroDiagnostic("'@Resolvable' can only be attached to a class, struct or actor: \(reason)")
                .error(removing: node)
        }

        let initialisers = declaration.memberBlock.members.compactMap { member in
            member.decl.as(InitializerDeclSyntax.self)
        }
        if let written = initialisers.first(where: { $0.labels == ["scope"] }) {
            self = .written(written)
            return
        }

        let choice = InitialiserChoice(
            among: initialisers.filter { !$0.isUnavailable },
            hidden: declaration.memberBlock.members.initialisersInIfConfigs
        )
        let complaints = choice.complaints(reportingAt: node)
        guard complaints.isEmpty else { throw DiagnosticsError(diagnostics: complaints) }

        if let chosen = choice.chosen {
            self = .initialiser(chosen)
        } else {
            self = .storedProperties(declaration.memberBlock.members)
        }
    }

    /// Whether `init(scope:)` belongs to the global actor that `declaration` is marked with.
    ///
    /// A handler may be made anywhere: commands and events come from any actor.
    func isIsolated(in declaration: some DeclGroupSyntax) -> Bool {
        guard declaration.globalActor != nil else { return false }

        switch self {
        case .written(let initialiser), .initialiser(let initialiser):
            return !initialiser.modifiers.contains(keyword: .nonisolated)
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
