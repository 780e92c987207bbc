// SPDX-License-Identifier: Apache-2.0

#if Macros
public import HeadraceResolution

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

/// Resolves a property from the `scope` of its type, each time it is read.
///
/// ```swift
/// @ResolvedScope
/// struct RootView: View {
///     @Resolved private var dispatcher: any CommandQueryDispatcher
/// }
/// ```
///
/// makes the property
///
/// ```swift
/// private var dispatcher: any CommandQueryDispatcher {
///     get {
///         scope.resolve()
///     }
/// }
/// ```
///
/// A transient object is a new one at each access, so register an object that a view keeps as scoped.
///
/// Restrictions: attach it to a `var` with a type and without a value, in a type with a property `scope` that is a
/// `DependencyResolver`. ``ResolvedScope()`` adds this property to a view.
@attached(accessor)
public macro Resolved() = #externalMacro(module: "HeadraceMacrosPlugin", type: "ResolvedMacro")

/// Adds the scope of the environment to a SwiftUI view, for its ``Resolved()`` properties.
///
/// ```swift
/// @ResolvedScope
/// struct RootView: View {
///     @Resolved private var dispatcher: any CommandQueryDispatcher
/// }
/// ```
///
/// adds
///
/// ```swift
/// @SwiftUI.Environment(\.scope) private var scope
/// ```
///
/// `View.resolving(from:)` of `HeadraceSwiftUI` sets the scope for a view and its subviews.
///
/// Restrictions: attach it to a structure, in a file that imports `SwiftUI` and `HeadraceSwiftUI`.
@attached(member, names: named(scope))
public macro ResolvedScope() = #externalMacro(module: "HeadraceMacrosPlugin", type: "ResolvedScopeMacro")

/// Reads the property that a key path names from the current container. It works in protocol extensions as well.
///
/// ```swift
/// extension DependencyResolver {
///     var counterStore: CounterStore { resolve() }
/// }
///
/// extension CounterStoreAction {
///     @Inject(\.counterStore) var store: CounterStore
/// }
/// ```
///
/// expands the property to
///
/// ```swift
/// var store: CounterStore {
///     get {
///         HeadraceResolution.Inject(\.counterStore).wrappedValue
///     }
/// }
/// ```
///
/// If a file imports both, the macro replaces the property wrapper of the same name. It resolves the same object, at each
/// access. It stores nothing, so it works where a wrapper doesn't: in extensions and in final classes that are `Sendable`.
/// The property isn't a parameter of a memberwise initializer.
///
/// Restrictions:
///
/// - The file imports `HeadraceResolution` as well, or `Headrace` instead of both.
/// - The property is a `var` with a type and without a value.
@attached(accessor, names: named(get))
public macro Inject<Value>(
    _ keyPath: any KeyPath<any DependencyResolutionScope, Value> & Sendable
) = #externalMacro(module: "HeadraceMacrosPlugin", type: "InjectMacro")
#endif
