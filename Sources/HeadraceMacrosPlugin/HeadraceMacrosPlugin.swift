// SPDX-License-Identifier: Apache-2.0

#if Macros
import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct HeadraceMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        CasesMacro.self,
        DocumentCodableMacro.self,
        DomainEntityMacro.self,
        InjectMacro.self,
        ResolvableInitMacro.self,
        ResolvableMacro.self,
        ResolvedMacro.self,
        ResolvedScopeMacro.self,
    ]
}
#else
/// An empty plugin, linked if the trait is off.
@main
enum HeadraceMacrosPlugin {
    static func main() {}
}
#endif
