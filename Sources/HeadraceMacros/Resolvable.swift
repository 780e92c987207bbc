// SPDX-License-Identifier: Apache-2.0

#if Macros
import HeadraceResolution

/// Writes an initializer that creates a class, struct or actor from a scope, and states the dependencies.
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
/// The first rule that applies determines what the initializer resolves:
///
/// - If a type declares `init(scope:)`, the macro only adds the conformance.
/// - If a type declares one initializer, `init(scope:)` calls it and resolves its parameters. If a type declares several,
///   mark one of them ``ResolvableInit()``. Parameters with a default value keep it.
/// - In any other type, the stored properties without a value are resolved, in the order declared. Static, lazy, computed and
///   initialized properties are ignored, and also properties whose wrapper supplies the value:
///   `@Published var error: (any Error)? = nil`, `@Inject(\.store) var store`.
///
/// An optional property without a value (`var cache: Cache?`, `Cache!`) is resolved too: to an object of its wrapped type, or
/// to `nil` if that type isn't registered. Write `= nil` to exclude the property.
///
/// The initializer has the access level of the type. It is `required` in a class that is not final. In a struct it is declared
/// in an extension, so the struct keeps its memberwise initializer for tests. A property inside `#if` is resolved inside the
/// same `#if`.
///
/// `validate()` and graphs read the dependencies. The macro doesn't state them, so they are unknown, if `init(scope:)` is
/// written by hand, if the type states them itself, or if a class inherits them. A class that is not final states its own
/// dependencies, but not those of its subclasses.
///
/// On a type with a global actor's attribute (`@MainActor`, or any attribute with the suffix `Actor`), the initializer is
/// isolated to that actor: resolving the type elsewhere stops the program. An initializer marked `nonisolated` may be used
/// anywhere.
///
/// A handler with a global actor's attribute runs on that actor, for callers on any actor. The macro adds the attribute to
/// `func handle(_:) async`, unless the method is marked `nonisolated`, `@concurrent`, or with an actor. Without the macro, write
/// `@MainActor func handle`: the attribute of the class doesn't apply to a method that the handler's protocol requires.
/// The initializer of such a handler isn't isolated, so the handler is resolved anywhere, and its stored properties must be
/// `Sendable`. If a property isn't `Sendable`, write an initializer, which is isolated: then only code on the actor may dispatch.
///
/// Restrictions:
///
/// - The file imports `HeadraceResolution` as well, or `Headrace` instead of both. For a public type
///   that is a `public import` under `InternalImportsByDefault`.
/// - A superclass is created by its `init()`. If it has none, write `init(scope:)` yourself.
/// - The initializer that is called must be synchronous, must not throw, fail, or be generic, and must not have `inout`
///   parameters. Initializers inside `#if` or in extensions don't count.
/// - A wrapper without arguments is written with parentheses: `@Resolved() var dispatcher: Dispatcher`.
/// - In a module whose default isolation is the main actor, write `@MainActor` on a type that has
///   dependencies which are not `Sendable`, or an initializer.
/// - A `private` type inside another type is written `fileprivate`, because the conformance is an extension.
/// - A type declared in a function can't have the macro, as with every macro that adds a conformance.
@attached(member, conformances: Resolvable, names: named(init(scope:)), named(dependencies))
@attached(memberAttribute)
@attached(extension, conformances: Resolvable, names: named(init(scope:)))
public macro Resolvable() = #externalMacro(module: "HeadraceMacrosPlugin", type: "ResolvableMacro")
#endif
