//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Macros
import SwiftSyntax

extension MemberBlockItemListSyntax {
    /// One line for each stored property without a value, inside the `#if` in which it is declared.
    var resolvingAssignments: [String] {
        flatMap { member -> [String] in
            if let variable = member.decl.as(VariableDeclSyntax.self) {
                return variable.resolvedNames.map { "self.\($0) = scope.resolve()" }
            }
            return member.decl.as(IfConfigDeclSyntax.self)?.resolvingAssignments ?? []
        }
    }

    /// The initialisers that are there under a condition only.
    var initialisersInIfConfigs: [InitializerDeclSyntax] {
        compactMap { $0.decl.as(IfConfigDeclSyntax.self) }
            .flatMap(\.members)
            .flatMap { members in
                members.compactMap { $0.decl.as(InitializerDeclSyntax.self) } + members.initialisersInIfConfigs
            }
    }
}

extension IfConfigDeclSyntax {
    fileprivate var members: [MemberBlockItemListSyntax] {
        clauses.compactMap { $0.elements?.as(MemberBlockItemListSyntax.self) }
    }

    fileprivate var resolvingAssignments: [String] {
        guard members.contains(where: { !$0.resolvingAssignments.isEmpty }) else { return [] }

        let lines = clauses.flatMap { clause in
            let condition = clause.condition.map { " \($0.trimmedDescription)" } ?? ""
            let assignments = clause.elements?.as(MemberBlockItemListSyntax.self)?.resolvingAssignments ?? []
            return [clause.poundKeyword.text + condition] + assignments
        }
        return lines + ["#endif"]
    }
}

extension VariableDeclSyntax {
    /// Whether it belongs to the type, not to its instances.
    var isTypeProperty: Bool {
        modifiers.contains(keyword: .static) || modifiers.contains(keyword: .class)
    }

    /// The names of what it stores without a value.
    fileprivate var resolvedNames: [String] {
        guard !isTypeProperty, !modifiers.contains(keyword: .lazy), !hasWrapperWithArguments else { return [] }

        return bindings.flatMap { binding in
            binding.initializer == nil && !binding.isComputed ? binding.pattern.names : []
        }
    }

    /// Whether a wrapper brings the value, as one with arguments does, and be they `()`.
    ///
    /// A constant cannot have a wrapper.
    private var hasWrapperWithArguments: Bool {
        bindingSpecifier.tokenKind == .keyword(.var)
            && attributes.contains { element in
                guard let attribute = element.as(AttributeSyntax.self) else { return false }

                return attribute.leftParen != nil && !Self.attributesWithoutStorage.contains(attribute.simpleName)
            }
    }

    /// Attributes of Swift and SwiftData that take arguments and wrap nothing.
    private static let attributesWithoutStorage: Set = ["Attribute", "Relationship", "available", "objc", "_spi"]
}

extension PatternBindingSyntax {
    /// Whether it has a getter; observers alone leave it stored.
    fileprivate var isComputed: Bool {
        switch accessorBlock?.accessors {
        case nil: false
        case .getter: true
        case .accessors(let accessors):
            !accessors.allSatisfy { accessor in
                [.keyword(.willSet), .keyword(.didSet)].contains(accessor.accessorSpecifier.tokenKind)
            }
        }
    }
}

extension PatternSyntax {
    /// The names that it binds, those in a tuple included.
    var names: [String] {
        if let identifier = self.as(IdentifierPatternSyntax.self) {
            return [identifier.identifier.text]
        }
        return self.as(TuplePatternSyntax.self)?.elements.flatMap(\.pattern.names) ?? []
    }
}
#endif
