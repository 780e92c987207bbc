// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax

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
