//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Macros
import SwiftDiagnostics
import SwiftSyntax

/// The initialiser that a scope's objects are handed to, or what is wrong with it.
struct InitialiserChoice {
    private let initialisers: [InitializerDeclSyntax]
    private let hidden: [InitializerDeclSyntax]
    private let marked: [InitializerDeclSyntax]

    /// Chooses `among` those that are always there; the `hidden` ones depend on `#if`.
    init(among initialisers: [InitializerDeclSyntax], hidden: [InitializerDeclSyntax]) {
        self.initialisers = initialisers
        self.hidden = hidden
        marked = initialisers.filter(\.isMarked)
    }

    /// The marked one, or the only one; `nil` where the type has none.
    var chosen: InitializerDeclSyntax? {
        marked.first ?? initialisers.first
    }

    /// What speaks against ``chosen``, in the order of the source.
    func complaints(reportingAt node: AttributeSyntax) -> [Diagnostic] {
        let hiddenMarks = hidden.compactMap { initialiser in
            initialiser.mark.map { mark in
                MacroDiagnostic(
                    "'@ResolvableInit' does not count inside '#if'; move '\(initialiser.fullName)' out of it"
                )
                .diagnostic(at: mark)
            }
        }
        guard hiddenMarks.isEmpty else { return hiddenMarks }

        if marked.isEmpty, initialisers.count > 1 {
            return [tooMany(reportingAt: node)]
        }
        return marked.dropFirst().compactMap(markedAgain) + (chosen.map(unusable) ?? [])
    }

    private func tooMany(reportingAt node: AttributeSyntax) -> Diagnostic {
        Diagnostic(
            node: node,
            message: MacroDiagnostic(
                "'@Resolvable' does not know which of \(initialisers.count) initialisers to use; "
                    + "mark one with '@ResolvableInit'"
            ),
            fixIts: initialisers.map { initialiser in
                FixIt(
                    message: MacroDiagnostic("Mark '\(initialiser.fullName)' with '@ResolvableInit'"),
                    changes: [.replace(oldNode: Syntax(initialiser), newNode: Syntax(initialiser.marking()))]
                )
            }
        )
    }

    private func markedAgain(_ initialiser: InitializerDeclSyntax) -> Diagnostic? {
        initialiser.mark.map { mark in
            MacroDiagnostic("'@ResolvableInit' is on \(marked.count) initialisers; keep it on one")
                .diagnostic(removing: mark)
        }
    }

    private func unusable(_ initialiser: InitializerDeclSyntax) -> [Diagnostic] {
        let way = "use another initialiser by '@ResolvableInit', or write 'init(scope:)'"
        var complaints: [Diagnostic] = []
        func complain(at node: some SyntaxProtocol, _ reason: String) {
            complaints.append(
                MacroDiagnostic("'@Resolvable' cannot call '\(initialiser.fullName)', which \(reason); \(way)")
                    .diagnostic(at: node)
            )
        }

        if let mark = initialiser.optionalMark {
            complain(at: mark, "may return nil")
        }
        if let generics = initialiser.genericParameterClause {
            complain(at: generics, "is generic")
        }
        for parameter in initialiser.resolvedParameters {
            if parameter.type.isOpaque {
                complain(at: parameter.type, "is generic")
            }
            if parameter.type.isInout {
                complain(at: parameter.type, "changes an argument")
            }
        }
        if let effect = initialiser.signature.effectSpecifiers?.asyncSpecifier {
            complain(at: effect, "is asynchronous")
        }
        if let effect = initialiser.signature.effectSpecifiers?.throwsClause {
            complain(at: effect, "throws")
        }
        if initialiser.resolvedParameters.map(\.firstName.text) == ["scope"] {
            complain(at: initialiser.signature.parameterClause, "looks like 'init(scope:)' when called")
        }
        return complaints
    }
}
#endif
