//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#if Macros
import SwiftSyntax

extension DeclGroupSyntax {
    /// Whether it declares the method of a handler.
    var hasHandler: Bool {
        memberBlock.members.contains { $0.decl.as(FunctionDeclSyntax.self)?.isHandler ?? false }
    }
}

extension FunctionDeclSyntax {
    /// Whether it is the method of a handler, `func handle(_ message: Message) async`, as far as its declaration tells.
    var isHandler: Bool {
        let parameters = signature.parameterClause.parameters
        return name.text == "handle" && signature.effectSpecifiers?.asyncSpecifier != nil
            && !modifiers.contains(keyword: .static) && !modifiers.contains(keyword: .class)
            && parameters.count == 1 && parameters.first?.firstName.tokenKind == .wildcard
    }

    /// Whether it says itself where it runs.
    var statesIsolation: Bool {
        modifiers.contains(keyword: .nonisolated) || attributes.contains(attributeNamed: "concurrent")
            || attributes.globalActor != nil
    }
}
#endif
