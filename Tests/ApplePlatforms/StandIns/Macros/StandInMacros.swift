// SPDX-License-Identifier: Apache-2.0

import SwiftCompilerPlugin
import SwiftSyntaxMacros

@main
struct StandInMacros: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
        EntryMacro.self,
        ModelMacro.self,
        PersistedPropertyMacro.self,
        QueryMacro.self,
        TransientMacro.self,
    ]
}
