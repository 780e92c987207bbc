//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Macros
import SwiftSyntax

extension InitializerDeclSyntax {
    /// The argument labels, `_` for none.
    var labels: [String] {
        signature.parameterClause.parameters.map(\.firstName.text)
    }

    /// The name as the documentation writes it: `init(api:_:)`.
    var fullName: String {
        "init(\(labels.map { "\($0):" }.joined()))"
    }

    /// The parameters that a caller must give.
    var resolvedParameters: [FunctionParameterSyntax] {
        signature.parameterClause.parameters.filter { $0.defaultValue == nil && $0.ellipsis == nil }
    }

    /// The `@ResolvableInit` on it.
    var mark: AttributeSyntax? {
        attributes.first(named: "ResolvableInit")
    }

    var isMarked: Bool {
        mark != nil
    }

    /// Whether it says `@available(*, unavailable)`, as what UIKit requires and nobody calls does.
    var isUnavailable: Bool {
        attributes.contains { element in
            guard let attribute = element.as(AttributeSyntax.self), attribute.simpleName == "available" else {
                return false
            }
            return attribute.arguments?.tokens(viewMode: .sourceAccurate).contains { $0.text == "unavailable" } ?? false
        }
    }

    /// A copy with `@ResolvableInit` in front, on the same line.
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
    /// Whether the caller chooses it: `some P`, `[some P]`.
    var isOpaque: Bool {
        tokens(viewMode: .sourceAccurate).contains { $0.tokenKind == .keyword(.some) }
    }

    /// Whether a parameter of it changes what the caller passes.
    var isInout: Bool {
        self.as(AttributedTypeSyntax.self)?.specifiers.contains { specifier in
            specifier.as(SimpleTypeSpecifierSyntax.self)?.specifier.tokenKind == .keyword(.inout)
        } ?? false
    }
}
#endif
