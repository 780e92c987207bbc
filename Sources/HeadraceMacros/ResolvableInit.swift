//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Macros
/// Marks the initialiser that ``Resolvable()`` uses where a type has several.
///
/// ```swift
/// @Resolvable
/// final class Uploader {
///     @ResolvableInit
///     init(network: any Network, chunkSize: Int = 4096) { … }
///
///     init(replaying recording: URL) { … }
/// }
/// ```
///
/// It expands to nothing.
///
/// Restrictions: it belongs on an initialiser in the body of a type that has `@Resolvable`, outside `#if`.
@attached(peer)
public macro ResolvableInit() = #externalMacro(module: "HeadraceMacrosPlugin", type: "ResolvableInitMacro")
#endif
