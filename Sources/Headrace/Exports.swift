//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

@_exported public import HeadraceCommandEffects
@_exported public import HeadraceCommands
@_exported public import HeadraceCore
@_exported public import HeadraceDomain
@_exported public import HeadraceFlux
@_exported public import HeadraceRelay
@_exported public import HeadraceResolution
@_exported public import HeadraceServices
@_exported public import HeadraceStations
@_exported public import HeadraceStorage

#if Hummingbird
@_exported public import HeadraceHummingbird
#endif

#if Inspector
@_exported public import HeadraceInspector
#endif

#if Macros
@_exported public import HeadraceMacros
#endif

#if Postgres
@_exported public import HeadracePostgres
#endif

#if SQLite
@_exported public import HeadraceSQLite
#endif
