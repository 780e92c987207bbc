// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// The message of a macro about a declaration, or the title of a fix-it.
struct MacroDiagnostic: DiagnosticMessage, FixItMessage {
    let message: String
    let severity = DiagnosticSeverity.error

    init(_ message: String) {
        self.message = message
    }

    var diagnosticID: MessageID { MessageID(domain: "Headrace", id: message) }
    var fixItID: MessageID { diagnosticID }

    /// Returns a diagnostic at `node`, without a fix-it.
    func diagnostic(at node: some SyntaxProtocol) -> Diagnostic {
        Diagnostic(node: node, message: self)
    }

    /// Returns a diagnostic at `attribute`, with a fix-it that removes the attribute.
    func diagnostic(removing attribute: AttributeSyntax) -> Diagnostic {
        // The attribute may be detached from its declaration here, so the fix-it removes its text.
        let nothing = TokenSyntax.identifier("").with(\.leadingTrivia, attribute.leadingTrivia)
        let fix = FixIt(
            message: MacroDiagnostic("Remove '\(attribute.trimmedDescription)'"),
            changes: [.replace(oldNode: Syntax(attribute), newNode: Syntax(nothing))]
        )
        return Diagnostic(node: attribute, message: self, fixIts: [fix])
    }

    /// Returns an error with this diagnostic only.
    func error(removing attribute: AttributeSyntax) -> DiagnosticsError {
        DiagnosticsError(diagnostics: [diagnostic(removing: attribute)])
    }
}

extension VariableDeclSyntax {
    /// Returns `message` at a `let`, with a fix-it that replaces it with `var`; empty for a `var`.
    func diagnosticsUnlessVariable(_ message: String) -> [Diagnostic] {
        guard bindingSpecifier.tokenKind != .keyword(.var) else { return [] }
        let fix = FixIt(
            message: MacroDiagnostic("Replace 'let' with 'var'"),
            changes: [
                .replace(
                    oldNode: Syntax(bindingSpecifier),
                    newNode: Syntax(bindingSpecifier.with(\.tokenKind, .keyword(.var)))
                )
            ]
        )
        return [Diagnostic(node: bindingSpecifier, message: MacroDiagnostic(message), fixIts: [fix])]
    }
}

extension DeclGroupSyntax {
    /// Returns the access modifier that makes a member as visible as its type, followed by a space.
    ///
    /// It is empty for `internal` and below. A type without a modifier takes the access level of the extension around it.
    func accessModifier(in context: some MacroExpansionContext) -> String {
        let enclosing = context.lexicalContext.first?.as(ExtensionDeclSyntax.self)
        for modifiers in [modifiers, enclosing?.modifiers] {
            switch modifiers?.accessLevel {
            case .open, .public: return "public "
            case .package: return "package "
            case nil: continue
            default: return ""
            }
        }
        return ""
    }

    var isFinal: Bool {
        modifiers.contains(keyword: .final)
    }

    /// The attribute with the name of a global actor, by its suffix `Actor`.
    var globalActor: AttributeSyntax? { attributes.globalActor }
}

extension DeclModifierListSyntax {
    func first(keyword: Keyword) -> DeclModifierSyntax? {
        first { $0.name.tokenKind == .keyword(keyword) }
    }

    func contains(keyword: Keyword) -> Bool {
        first(keyword: keyword) != nil
    }

    /// The access level of the declaration; a modifier such as `private(set)` doesn't count.
    fileprivate var accessLevel: Keyword? {
        let levels: [Keyword] = [.open, .public, .package, .internal, .fileprivate, .private]
        return levels.first { level in
            contains { $0.name.tokenKind == .keyword(level) && $0.detail == nil }
        }
    }
}

extension AttributeListSyntax {
    /// The attribute with the name of a global actor, by its suffix `Actor`.
    var globalActor: AttributeSyntax? {
        lazy.compactMap { $0.as(AttributeSyntax.self) }.first { $0.simpleName.hasSuffix("Actor") }
    }

    func first(named name: String) -> AttributeSyntax? {
        lazy.compactMap { $0.as(AttributeSyntax.self) }.first { $0.simpleName == name }
    }

    func contains(attributeNamed name: String) -> Bool {
        first(named: name) != nil
    }
}

extension AttributeSyntax {
    /// The name without its module and generic arguments.
    var simpleName: String {
        if let member = attributeName.as(MemberTypeSyntax.self) {
            return member.name.text
        }
        return attributeName.as(IdentifierTypeSyntax.self)?.name.text ?? attributeName.trimmedDescription
    }
}

extension DeclGroupSyntax {
    /// Checks that an extension at the top of the file can name this type.
    ///
    /// It can't if this type, or a type around it, is private to another type.
    func checkReach(ofExtensionBy node: AttributeSyntax, in context: some MacroExpansionContext) throws {
        if !context.lexicalContext.isEmpty, let modifier = modifiers.first(keyword: .private) {
            let fix = FixIt(
                message: MacroDiagnostic("Replace 'private' with 'fileprivate'"),
                changes: [
                    .replace(
                        oldNode: Syntax(modifier),
                        newNode: Syntax(modifier.with(\.name.tokenKind, .keyword(.fileprivate)))
                    )
                ]
            )
            throw DiagnosticsError(diagnostics: [
                Diagnostic(
                    node: modifier,
                    message: MacroDiagnostic(
                        "\(node.quotedName) cannot extend a type that is private to another; make it 'fileprivate'"
                    ),
                    fixIts: [fix]
                )
            ])
        }

        let enclosing = context.lexicalContext.dropLast().compactMap { $0.asProtocol((any DeclGroupSyntax).self) }
        if enclosing.contains(where: { $0.modifiers.contains(keyword: .private) }) {
            throw DiagnosticsError(diagnostics: [
                MacroDiagnostic(
                    "\(node.quotedName) cannot extend a type inside one that is private to another; "
                        + "make that one 'fileprivate'"
                )
                .diagnostic(at: node)
            ])
        }
    }
}

extension AttributeSyntax {
    /// The name at the beginning of messages: `'@Resolvable'`.
    fileprivate var quotedName: String {
        "'@\(simpleName)'"
    }
}

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
