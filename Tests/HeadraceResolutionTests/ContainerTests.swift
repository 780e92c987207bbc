// SPDX-License-Identifier: Apache-2.0

import HeadraceResolution
import Synchronization
import Testing

@Suite struct ContainerTests {
    // MARK: Asking

    @Test func allThreeSpellingsResolveTheSameObject() {
        let contracts = container { $0.singleton { Settings() } }

        let byContext: Settings = contracts.resolve()
        let byType = contracts.resolve(Settings.self)
        let tried: Settings? = contracts.tryResolve()
        let triedByType = contracts.tryResolve(Settings.self)

        #expect(byContext === byType)
        #expect(tried === byType)
        #expect(triedByType === byType)
    }

    @Test func singletonsAreReleasedInTheOrderOfRegistration() {
        let order = ReleaseOrder()
        let builder = ContainerBuilder()
        Released<Int>.register(0, of: 12, in: builder, noting: order)
        do {
            let container = builder.build()
            Released<Int>.resolve(0, of: 12, from: container)
        }

        #expect(order.numbers.withLock(\.self) == Array(0..<12))
    }

    @Test func tryResolveReturnsNilForAnUnregisteredType() {
        let contracts = container { _ in }

        #expect(contracts.tryResolve(Settings.self) == nil)
        #expect(contracts.tryResolve((any Mailer).self) == nil)
        #expect(contracts.scope().tryResolve(Settings.self) == nil)
    }

    @Test func anOptionalTypeResolvesToItsWrappedType() {
        let contracts = container { builder in
            builder.singleton { Settings() }
            builder.singleton((any Mailer).self) { SmtpMailer() }
        }

        let settings: Settings? = contracts.resolve()
        let mailer: (any Mailer)? = contracts.scope().resolve()
        let twice: Settings?? = contracts.resolve()

        #expect(settings === contracts.resolve(Settings.self))
        #expect(mailer === contracts.resolve((any Mailer).self))
        #expect(twice.flatMap(\.self) === settings)
    }

    @Test func anOptionalTypeIsNilIfItsWrappedTypeIsNotRegistered() {
        let contracts = container { _ in }

        let settings: Settings? = contracts.resolve()
        let mailer: (any Mailer)? = contracts.scope().resolve()

        #expect(settings == nil)
        #expect(mailer == nil)
    }

    @Test func aRegisteredOptionalTypeResolvesToItsOwnRegistration() {
        let contracts = container { builder in
            builder.singleton { Settings() }
            builder.transient(Settings?.self) { nil }
        }

        let settings: Settings? = contracts.resolve()

        #expect(settings == nil)
    }

    // MARK: What can be a contract

    @Test func aProtocolItsCompositionAndItsConstrainedFormAreThreeContracts() {
        let contracts = container { builder in
            builder.transient((any Shape).self) { Square() }
            builder.transient((any Shape & Named).self) { Circle() }
            builder.transient((any Box<Int>).self) { Crate(content: 1) }
            builder.transient((any Box<String>).self) { Crate(content: "one") }
        }

        #expect(contracts.resolve((any Shape).self) is Square)
        #expect(contracts.resolve((any Shape & Named).self) is Circle)
        #expect(contracts.resolve((any Box<Int>).self).content == 1)
        #expect(contracts.resolve((any Box<String>).self).content == "one")
    }

    @Test func aSuperclassIsAContract() {
        let contracts = container { builder in
            builder.transient { Sedan() }
            builder.transient(Vehicle.self, assigned(Sedan.self))
        }

        #expect(contracts.resolve(Vehicle.self) is Sedan)
    }

    @Test func structsEnumsTuplesAndFunctionsAreContracts() {
        let contracts = container { builder in
            builder.transient { Square() }
            builder.singleton { Level.high }
            builder.singleton((Int, String).self) { (1, "one") }
            builder.singleton((@Sendable (Int) -> Int).self) { { $0 + 1 } }
        }

        #expect(contracts.resolve(Square.self) == Square())
        #expect(contracts.resolve(Level.self) == .high)
        #expect(contracts.resolve((Int, String).self) == (1, "one"))
        #expect(contracts.resolve((@Sendable (Int) -> Int).self)(1) == 2)
    }

    @Test func eachSpecialisationOfAGenericTypeIsAContract() {
        let contracts = container { builder in
            builder.singleton { Crate(content: 1) }
            builder.singleton { Crate(content: "one") }
        }

        #expect(contracts.resolve(Crate<Int>.self).content == 1)
        #expect(contracts.resolve(Crate<String>.self).content == "one")
        #expect(contracts.tryResolve(Crate<Double>.self) == nil)
    }

    @Test func twoTypesOfOneSimpleNameAreTwoContracts() {
        let contracts = container { builder in
            builder.singleton { Kitchen.Sink() }
            builder.singleton { Laundry.Sink() }
        }

        #expect(contracts.resolve(Kitchen.Sink.self).place == "kitchen")
        #expect(contracts.resolve(Laundry.Sink.self).place == "laundry")
    }

    @Test func aTransientObjectDoesNotHaveToBeSendable() {
        let contracts = container { $0.transient { Notebook() } }

        let notebook: Notebook = contracts.resolve()
        notebook.notes.append("mine")

        #expect(contracts.resolve(Notebook.self).notes.isEmpty)
        #expect(notebook.notes == ["mine"])
    }

    // MARK: Scopes

    @Test func aRegisteredScopeIsTheCallersScope() {
        let contracts = container { builder in
            builder.transient { $0 }
            builder.scoped { Settings() }
        }
        let scope = contracts.scope()
        let nested = scope.scope()

        let given: [any DependencyResolutionScope] = [contracts.resolve(), scope.resolve(), nested.resolve()]

        #expect(given[0].resolve(Settings.self) === contracts.resolve(Settings.self))
        #expect(given[1] === scope)
        #expect(given[2] === nested)
    }

    @Test func aSingletonHoldsNothingOfTheScopeThatAskedFirst() {
        let contracts = container { builder in
            builder.scoped { Settings() }
            builder.singleton { SmtpMailer(settings: $0.resolve()) }
        }
        let nested = contracts.scope().scope()
        let nestedSettings: Settings = nested.resolve()

        let mailer: SmtpMailer = nested.resolve()

        #expect(mailer.settings !== nestedSettings)
        #expect(mailer.settings === contracts.resolve(Settings.self))
    }

    @Test func aScopedObjectUsesTheOtherObjectsOfItsScope() {
        let contracts = container { builder in
            builder.scoped { Settings() }
            builder.scoped { SmtpMailer(settings: $0.resolve()) }
        }
        let scope = contracts.scope()
        let sibling = contracts.scope()

        #expect(scope.resolve(SmtpMailer.self).settings === scope.resolve(Settings.self))
        #expect(scope.resolve(SmtpMailer.self) !== sibling.resolve(SmtpMailer.self))
        #expect(scope.resolve(Settings.self) !== sibling.resolve(Settings.self))
    }

    @Test func aScopeOutlivesTheContainerThatOpenedIt() {
        let scope = container { $0.singleton { Settings() } }.scope()

        #expect(scope.resolve(Settings.self) === scope.scope().resolve(Settings.self))
    }

    @Test func aScopeReleasesItsObjectsWhenItEnds() {
        let contracts = container { $0.scoped { Settings() } }
        weak var kept: Settings?
        do {
            let scope = contracts.scope()
            kept = scope.resolve()
            #expect(kept != nil)
        }

        #expect(kept == nil)
    }

    @Test func aContainerReleasesItsSingletonsWhenItEnds() {
        weak var kept: Settings?
        do {
            let contracts = container { $0.singleton { Settings() } }
            kept = contracts.resolve()
            #expect(kept != nil)
        }

        #expect(kept == nil)
    }

    @Test func noObjectIsCreatedBeforeItIsResolved() {
        let made = Counter()
        let contracts = container { builder in
            builder.singleton {
                made.increment()
                return Settings()
            }
        }
        _ = contracts.scope()

        #expect(made.value == 0)

        _ = contracts.resolve(Settings.self)

        #expect(made.value == 1)
    }

    @Test(arguments: [1, 10, 1_000])
    func manyScopedObjectsOfOneScopeAreDistinct(count: Int) {
        let contracts = container { Numbered.register(count, in: $0) }
        let scope = contracts.scope()

        let first = Numbered.all(count, from: scope)

        #expect(first.map(\.number) == Array(0..<count))
        #expect(zip(first, Numbered.all(count, from: scope)).allSatisfy { $0 === $1 })
        #expect(zip(first, Numbered.all(count, from: contracts)).allSatisfy { $0 !== $1 })
    }
}

// MARK: - Fixtures

extension ContainerTests {
    protocol Shape {}
    protocol Named {}

    protocol Box<Content>: Sendable {
        associatedtype Content
        var content: Content { get }
    }

    struct Square: Shape, Equatable {}
    struct Circle: Shape, Named {}

    struct Crate<Content: Sendable>: Box {
        let content: Content
    }

    class Vehicle {}
    final class Sedan: Vehicle {}

    enum Level { case high }

    enum Kitchen {
        struct Sink {
            let place = "kitchen"
        }
    }

    enum Laundry {
        struct Sink {
            let place = "laundry"
        }
    }

    final class Notebook {
        var notes: [String] = []
    }
}

/// A generic type, for any number of scoped types.
private enum Numbered {
    protocol Object: AnyObject, Sendable {
        var number: Int { get }
    }

    final class Deeper<Level>: Object {
        let number: Int

        init(number: Int) {
            self.number = number
        }
    }

    static func register(_ count: Int, in builder: ContainerBuilder) {
        for (number, visitor) in visitors(count).enumerated() {
            visitor.register(number, builder)
        }
    }

    static func all(_ count: Int, from resolver: any DependencyResolver) -> [any Object] {
        visitors(count).map { $0.resolve(resolver) }
    }

    private struct Visitor {
        let register: (Int, ContainerBuilder) -> Void
        let resolve: (any DependencyResolver) -> any Object
    }

    private static func visitors(_ count: Int) -> [Visitor] {
        var level: Any.Type = Never.self
        return (0..<count).map { _ in
            let (next, visitor) = visitor(of: level)
            level = next
            return visitor
        }
    }

    private static func visitor<Level>(of level: Level.Type) -> (Any.Type, Visitor) {
        let visitor = Visitor(
            register: { number, builder in builder.scoped { Deeper<Level>(number: number) } },
            resolve: { $0.resolve(Deeper<Level>.self) }
        )
        return (Deeper<Level>.self, visitor)
    }
}

private final class ReleaseOrder: Sendable {
    let numbers = Mutex<[Int]>([])
}

/// An object that notes its release; the objects of a row have different types.
private final class Released<Level: Sendable>: Sendable {
    private let number: Int
    private let order: ReleaseOrder

    init(_ number: Int, _ order: ReleaseOrder) {
        self.number = number
        self.order = order
    }

    deinit { order.numbers.withLock { $0.append(number) } }

    static func register(_ number: Int, of count: Int, in builder: ContainerBuilder, noting order: ReleaseOrder) {
        if number == count { return }
        builder.singleton { Released(number, order) }
        Released<Released>.register(number + 1, of: count, in: builder, noting: order)
    }

    static func resolve(_ number: Int, of count: Int, from container: Container) {
        if number == count { return }
        _ = container.resolve(Released.self)
        Released<Released>.resolve(number + 1, of: count, from: container)
    }
}
