// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax

extension DeclGroupSyntax {
    /// Whether the type conforms to a handler protocol and has a `handle` method without its own isolation.
    var hasIsolatedHandler: Bool {
        let names = (inheritanceClause?.inheritedTypes ?? []).map { $0.type.trimmedDescription }
        guard names.contains(where: { $0.split(separator: ".").last?.hasPrefix("Handles") ?? false }) else {
            return false
        }
        return memberBlock.members.contains { member in
            guard let function = member.decl.as(FunctionDeclSyntax.self) else { return false }
            return function.isHandler && !function.statesIsolation
        }
    }
}

extension FunctionDeclSyntax {
    /// Whether the declaration looks like the method of a handler, `func handle(_ message: Message)`.
    var isHandler: Bool {
        let parameters = signature.parameterClause.parameters
        return name.text == "handle" && !modifiers.contains(keyword: .static) && !modifiers.contains(keyword: .class)
            && parameters.count == 1 && parameters.first?.firstName.tokenKind == .wildcard
    }

    /// Whether the declaration states its isolation.
    var statesIsolation: Bool {
        modifiers.contains(keyword: .nonisolated) || attributes.contains(attributeNamed: "concurrent")
            || attributes.globalActor != nil
    }
}
#endif
