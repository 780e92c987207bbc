// SPDX-License-Identifier: Apache-2.0

#if Macros
/// Marks the initializer that ``Resolvable()`` calls if a type has several.
///
/// ```swift
/// @Resolvable
/// final class Uploader {
///     private let network: any Network
///     private let chunkSize: Int
///
///     @ResolvableInit
///     init(network: any Network, chunkSize: Int = 4096) {
///         self.network = network
///         self.chunkSize = chunkSize
///     }
///
///     init(replaying recording: any Network) {
///         network = recording
///         chunkSize = 1
///     }
/// }
/// ```
///
/// It expands to nothing.
///
/// Restrictions: attach it to an initializer in the body of a type with `@Resolvable`, outside `#if`.
@attached(peer)
public macro ResolvableInit() = #externalMacro(module: "HeadraceMacrosPlugin", type: "ResolvableInitMacro")
#endif
