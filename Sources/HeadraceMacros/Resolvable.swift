//===----------------------------------------------------------------------===//
// This source file is part of the Headrace open source project.
// Licensed under Apache License v2.0. See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if Macros
import HeadraceResolution

/// Writes the initializer by which a class, struct or actor makes itself out of a scope, and states what that takes.
///
/// ```swift
/// @Resolvable
/// final class GetInfoHandler: HandlesQuery {
///     private let api: any Api
///     private let analytics: AnalyticsEngine
///
///     func handle(_ query: GetInfoQuery) async throws -> String {
///         analytics.track("asked")
///         return try await api.get("/search?subject=\(query.subject)")
///     }
/// }
/// ```
///
/// conforms to `Resolvable` by
///
/// ```swift
/// nonisolated init(scope: any HeadraceResolution.DependencyResolutionScope) {
///     self.api = scope.resolve()
///     self.analytics = scope.resolve()
/// }
///
/// nonisolated static var dependencies: HeadraceResolution.Dependencies {
///     HeadraceResolution.Dependencies()
///         .on((any Api).self)
///         .on(AnalyticsEngine.self)
/// }
/// ```
///
/// What is resolved, the first line that applies:
///
/// - A type that declares `init(scope:)` keeps it, and only the conformance is added.
/// - A type that declares one initializer has it called, with each parameter resolved. Of several it
///   is the one marked ``ResolvableInit()``. A parameter with a default value is left to it.
/// - Any other type has its stored properties resolved that have no value of their own, in the order
///   declared. Static, lazy, computed and initialised properties are left alone, and so are those whose
///   wrapper brings the value: `@Published var error: (any Error)? = nil`, `@Inject(\.store) var store`.
///
/// An optional property without a value (`var cache: Cache?`, `Cache!`) is resolved too: to what is
/// registered for its wrapped type, or to `nil` where nothing is. Write `= nil` to keep it out.
///
/// The initializer has the access level of the type. It is `required` in a class that is not final. A
/// struct gets it in an extension, and so keeps its memberwise initializer for tests. A property inside
/// `#if` is resolved inside the same `#if`.
///
/// The dependencies are what `validate()` and graphs read. They are left out, and so unknown, where `init(scope:)`
/// is written by hand or the type states them itself, and in a class that inherits them. A class that is not
/// final states them of itself, not of its subclasses.
///
/// On a type with a global actor's attribute (`@MainActor`, or any named `…Actor`) the initializer is
/// isolated to that actor: resolving the type elsewhere stops the program. An initializer marked
/// `nonisolated` may be used from anywhere.
///
/// A handler with a global actor's attribute runs on that actor, whoever dispatches. The macro adds the attribute to
/// `func handle(_:) async`, unless the method says `nonisolated`, `@concurrent` or an actor itself. Without the macro, write
/// `@MainActor func handle`: the attribute of the class does not reach a method that a handler's protocol demands.
/// The initializer of such a handler is not isolated, so it is resolved anywhere, and its stored properties are `Sendable`.
/// If a property is not `Sendable`, write an initializer, which is isolated: then only code on the actor may dispatch.
///
/// Restrictions:
///
/// - The file imports `HeadraceResolution` as well, or `Headrace` instead of both. For a public type
///   that is a `public import` under `InternalImportsByDefault`.
/// - A superclass is made by its `init()`. Where it has none, write `init(scope:)` yourself.
/// - The initializer that is called is synchronous, does not throw, cannot fail and is not generic, and
///   takes nothing `inout`. Initializers inside `#if` or in extensions do not count.
/// - A wrapper that takes no value is written with parentheses: `@Resolved() var dispatcher: Dispatcher`.
/// - In a module whose default isolation is the main actor, write `@MainActor` on a type that has
///   dependencies which are not `Sendable`, or an initializer of its own.
/// - A `private` type inside another is written `fileprivate`, as the conformance is an extension.
/// - A type declared in a function cannot have it, as with every macro that adds a conformance.
@attached(member, conformances: Resolvable, names: named(init(scope:)), named(dependencies))
@attached(memberAttribute)
@attached(extension, conformances: Resolvable, names: named(init(scope:)))
public macro Resolvable() = #externalMacro(module: "HeadraceMacrosPlugin", type: "ResolvableMacro")
#endif
