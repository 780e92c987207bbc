// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax

/// The choice of the initializer that `init(scope:)` calls, with the reasons against it.
struct InitializerChoice {
    private let initializers: [InitializerDeclSyntax]
    private let hidden: [InitializerDeclSyntax]
    private let marked: [InitializerDeclSyntax]

    /// Chooses `among` the initializers that always exist; the `hidden` ones depend on `#if`.
    init(among initializers: [InitializerDeclSyntax], hidden: [InitializerDeclSyntax]) {
        self.initializers = initializers
        self.hidden = hidden
        marked = initializers.filter(\.isMarked)
    }

    /// The marked initializer, or the only one; `nil` if the type has no initializer.
    var chosen: InitializerDeclSyntax? {
        marked.first ?? initializers.first
    }

    /// Returns the reasons against ``chosen``, in the order of the source.
    func diagnostics(reportingAt node: AttributeSyntax) -> [Diagnostic] {
        let hiddenMarks = hidden.compactMap { initializer in
            initializer.mark.map { mark in
                MacroDiagnostic(
                    "'@ResolvableInit' has no effect inside '#if'; move '\(initializer.fullName)' out of it"
                )
                .diagnostic(at: mark)
            }
        }
        guard hiddenMarks.isEmpty else { return hiddenMarks }

        if marked.isEmpty, initializers.count > 1 {
            return [tooMany(reportingAt: node)]
        }
        return marked.dropFirst().compactMap(markedAgain) + (chosen.map(unusable) ?? [])
    }

    private func tooMany(reportingAt node: AttributeSyntax) -> Diagnostic {
        Diagnostic(
            node: node,
            message: MacroDiagnostic(
                "'@Resolvable' does not know which of \(initializers.count) initializers to use; "
                    + "mark one with '@ResolvableInit'"
            ),
            fixIts: initializers.map { initializer in
                FixIt(
                    message: MacroDiagnostic("Mark '\(initializer.fullName)' with '@ResolvableInit'"),
                    changes: [.replace(oldNode: Syntax(initializer), newNode: Syntax(initializer.marking()))]
                )
            }
        )
    }

    private func markedAgain(_ initializer: InitializerDeclSyntax) -> Diagnostic? {
        initializer.mark.map { mark in
            MacroDiagnostic("'@ResolvableInit' is on \(marked.count) initializers; keep it on one")
                .diagnostic(removing: mark)
        }
    }

    private func unusable(_ initializer: InitializerDeclSyntax) -> [Diagnostic] {
        let fix = "use another initializer by '@ResolvableInit', or write 'init(scope:)'"
        var diagnostics: [Diagnostic] = []
        func report(at node: some SyntaxProtocol, _ reason: String) {
            diagnostics.append(
                MacroDiagnostic("'@Resolvable' cannot call '\(initializer.fullName)', which \(reason); \(fix)")
                    .diagnostic(at: node)
            )
        }

        if let mark = initializer.optionalMark {
            report(at: mark, "may return nil")
        }
        if let generics = initializer.genericParameterClause {
            report(at: generics, "is generic")
        }
        for parameter in initializer.resolvedParameters {
            if parameter.type.isOpaque {
                report(at: parameter.type, "is generic")
            }
            if parameter.type.isInout {
                report(at: parameter.type, "has an 'inout' parameter")
            }
        }
        if let effect = initializer.signature.effectSpecifiers?.asyncSpecifier {
            report(at: effect, "is asynchronous")
        }
        if let effect = initializer.signature.effectSpecifiers?.throwsClause {
            report(at: effect, "throws")
        }
        if initializer.resolvedParameters.map(\.firstName.text) == ["scope"] {
            report(at: initializer.signature.parameterClause, "looks like 'init(scope:)' when called")
        }
        return diagnostics
    }
}

extension InitializerDeclSyntax {
    /// The argument labels; `_` for a parameter without a label.
    var labels: [String] {
        signature.parameterClause.parameters.map(\.firstName.text)
    }

    /// The name with its labels: `init(api:_:)`.
    var fullName: String {
        "init(\(labels.map { "\($0):" }.joined()))"
    }

    /// The parameters without a default value.
    var resolvedParameters: [FunctionParameterSyntax] {
        signature.parameterClause.parameters.filter { $0.defaultValue == nil && $0.ellipsis == nil }
    }

    /// The `@ResolvableInit` attribute.
    var mark: AttributeSyntax? {
        attributes.first(named: "ResolvableInit")
    }

    var isMarked: Bool {
        mark != nil
    }

    /// Whether the initializer is marked `@available(*, unavailable)`, as for initializers that only UIKit requires.
    var isUnavailable: Bool {
        attributes.contains { element in
            guard let attribute = element.as(AttributeSyntax.self), attribute.simpleName == "available" else {
                return false
            }
            return attribute.arguments?.tokens(viewMode: .sourceAccurate).contains { $0.text == "unavailable" } ?? false
        }
    }

    /// Returns a copy with `@ResolvableInit` in front, on the same line.
    func marking() -> InitializerDeclSyntax {
        var copy = self
        let mark = AttributeSyntax(
            leadingTrivia: leadingTrivia,
            attributeName: IdentifierTypeSyntax(name: .identifier("ResolvableInit")),
            trailingTrivia: .space
        )
        copy.leadingTrivia = []
        copy.attributes.insert(.attribute(mark), at: copy.attributes.startIndex)
        return copy
    }
}

extension TypeSyntax {
    /// Whether the caller chooses the type: `some P`, `[some P]`.
    var isOpaque: Bool {
        tokens(viewMode: .sourceAccurate).contains { $0.tokenKind == .keyword(.some) }
    }

    /// Whether a parameter of the type is `inout`.
    var isInout: Bool {
        self.as(AttributedTypeSyntax.self)?.specifiers.contains { specifier in
            specifier.as(SimpleTypeSpecifierSyntax.self)?.specifier.tokenKind == .keyword(.inout)
        } ?? false
    }
}
#endif
