// SPDX-License-Identifier: Apache-2.0

#if Macros
@testable import HeadraceMacrosPlugin
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacrosGenericTestSupport
import Testing

let macros = [
    "Cases": MacroSpec(type: CasesMacro.self),
    "DocumentCodable": MacroSpec(type: DocumentCodableMacro.self, conformances: ["DocumentCodable"]),
    "DomainEntity": MacroSpec(type: DomainEntityMacro.self, conformances: ["HasDomainEvents"]),
    "Inject": MacroSpec(type: InjectMacro.self),
    "Resolvable": MacroSpec(type: ResolvableMacro.self, conformances: ["Resolvable"]),
    "ResolvableInit": MacroSpec(type: ResolvableInitMacro.self),
    "Resolved": MacroSpec(type: ResolvedMacro.self),
    "ResolvedScope": MacroSpec(type: ResolvedScopeMacro.self),
]

/// The macros, for a type that already conforms.
let macrosWithoutConformances = [
    "DocumentCodable": MacroSpec(type: DocumentCodableMacro.self),
    "DomainEntity": MacroSpec(type: DomainEntityMacro.self),
    "Resolvable": MacroSpec(type: ResolvableMacro.self),
]

/// Expects `source` to expand to `expansion`, without diagnostics.
func expect(
    _ source: String,
    expandsTo expansion: String,
    macros: [String: MacroSpec] = macros,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    assertMacroExpansion(
        source,
        expandedSource: expansion,
        macroSpecs: macros,
        failureHandler: { Issue.record("\($0.message)", sourceLocation: sourceLocation) }
    )
}

/// Expects `diagnostics`, and `fixed` after the `fixIts` are applied.
func expect(
    _ source: String,
    expandsTo expansion: String,
    saying diagnostics: DiagnosticSpec...,
    applying fixIts: [String]? = nil,
    becomes fixed: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    assertMacroExpansion(
        source,
        expandedSource: expansion,
        diagnostics: diagnostics,
        macroSpecs: macros,
        applyFixIts: fixIts,
        fixedSource: fixed,
        failureHandler: { Issue.record("\($0.message)", sourceLocation: sourceLocation) }
    )
}

#endif
