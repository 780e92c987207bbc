// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax

extension MemberBlockItemListSyntax {
    /// The stored properties without a value, including those inside `#if`.
    var resolvedProperties: [ResolvedProperty] {
        flatMap { member -> [ResolvedProperty] in
            if let variable = member.decl.as(VariableDeclSyntax.self) {
                return variable.resolvedProperties
            }
            return member.decl.as(IfConfigDeclSyntax.self)?.members.flatMap(\.resolvedProperties) ?? []
        }
    }

    /// Returns one `line` for each stored property without a value, inside the `#if` of its declaration.
    func linesForResolvedProperties(_ line: (ResolvedProperty) -> String?) -> [String] {
        flatMap { member -> [String] in
            if let variable = member.decl.as(VariableDeclSyntax.self) {
                return variable.resolvedProperties.compactMap(line)
            }
            return member.decl.as(IfConfigDeclSyntax.self)?.linesForResolvedProperties(line) ?? []
        }
    }

    /// The initializers inside `#if`.
    var initializersInIfConfigs: [InitializerDeclSyntax] {
        compactMap { $0.decl.as(IfConfigDeclSyntax.self) }
            .flatMap(\.members)
            .flatMap { members in
                members.compactMap { $0.decl.as(InitializerDeclSyntax.self) } + members.initializersInIfConfigs
            }
    }
}

extension IfConfigDeclSyntax {
    fileprivate var members: [MemberBlockItemListSyntax] {
        clauses.compactMap { $0.elements?.as(MemberBlockItemListSyntax.self) }
    }

    fileprivate func linesForResolvedProperties(_ line: (ResolvedProperty) -> String?) -> [String] {
        guard members.contains(where: { !$0.linesForResolvedProperties(line).isEmpty }) else { return [] }

        let lines = clauses.flatMap { clause in
            let condition = clause.condition.map { " \($0.trimmedDescription)" } ?? ""
            let members = clause.elements?.as(MemberBlockItemListSyntax.self)
            return [clause.poundKeyword.text + condition] + (members?.linesForResolvedProperties(line) ?? [])
        }
        return lines + ["#endif"]
    }
}

extension VariableDeclSyntax {
    /// Whether the property belongs to the type, not to its instances.
    var isTypeProperty: Bool {
        modifiers.contains(keyword: .static) || modifiers.contains(keyword: .class)
    }

    /// The stored properties without a value.
    fileprivate var resolvedProperties: [ResolvedProperty] {
        guard !isTypeProperty, !modifiers.contains(keyword: .lazy), !hasWrapperWithArguments else { return [] }

        var properties: [ResolvedProperty] = []
        // In `let a, b: B`, both have the type of the last.
        var type: TypeSyntax?
        for binding in bindings.reversed() {
            type = binding.typeAnnotation?.type ?? type
            if binding.initializer == nil, !binding.isComputed {
                properties = binding.pattern.properties(of: type) + properties
            }
        }
        return properties
    }

    /// Whether a wrapper supplies the value.
    ///
    /// A wrapper with arguments does, even with `()`.
    ///
    /// A constant can't have a wrapper.
    private var hasWrapperWithArguments: Bool {
        bindingSpecifier.tokenKind == .keyword(.var)
            && attributes.contains { element in
                guard let attribute = element.as(AttributeSyntax.self) else { return false }

                return attribute.leftParen != nil && !Self.attributesWithoutStorage.contains(attribute.simpleName)
            }
    }

    /// Attributes of Swift and SwiftData that take arguments and aren't wrappers.
    private static let attributesWithoutStorage: Set = ["Attribute", "Relationship", "available", "objc", "_spi"]
}

extension PatternBindingSyntax {
    /// Whether the property has a getter.
    ///
    /// A property with only observers is stored.
    var isComputed: Bool {
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
    /// The names in the pattern, including those in a tuple.
    var names: [String] {
        properties(of: nil).map(\.name)
    }

    /// The names in the pattern, each with its part of `type` if that is written out.
    fileprivate func properties(of type: TypeSyntax?) -> [ResolvedProperty] {
        if let identifier = self.as(IdentifierPatternSyntax.self) {
            return [ResolvedProperty(name: identifier.identifier.text, type: type)]
        }
        guard let elements = self.as(TuplePatternSyntax.self)?.elements else { return [] }

        let types = type?.as(TupleTypeSyntax.self)?.elements.map(\.type) ?? []
        return elements.enumerated().flatMap { index, element in
            element.pattern.properties(of: types.count == elements.count ? types[index] : nil)
        }
    }
}

/// A stored property whose value comes from the scope.
struct ResolvedProperty {
    let name: String

    /// The type, if it is written.
    let type: TypeSyntax?
}
#endif
