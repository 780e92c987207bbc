// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftSyntax
import SwiftSyntaxMacros

extension ResolvableMacro: MemberAttributeMacro {
    /// Isolates `handle` to the global actor of its handler.
    ///
    /// The protocols of handlers require a method that runs on its caller's actor. The compiler infers the isolation of a
    /// method from the protocol before it looks at the type.
    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard let actor = declaration.globalActor, let function = member.as(FunctionDeclSyntax.self) else { return [] }
        return function.isHandler && !function.statesIsolation ? [actor.trimmed] : []
    }
}
#endif
