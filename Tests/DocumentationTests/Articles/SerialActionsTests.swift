// SPDX-License-Identifier: Apache-2.0

import HeadraceCore
import HeadraceFlux
import Testing

private actor Cart: Dispatcher {
    let pipeline = Pipeline()
    private let prices: any Prices
    private(set) var total = 0

    init(prices: any Prices) {
        self.prices = prices
    }

    func add(_ article: String) async throws {
        let before = total
        let price = try await prices.price(of: article)
        total = before + price
    }
}

private protocol Prices: Sendable {
    func price(of article: String) async throws -> Int
}

private struct AddArticle: Action {
    let name: String

    func execute(with cart: isolated Cart) async throws {
        try await cart.add(name)
    }
}

private struct AddCoffeeAndCake: Action {
    func execute(with cart: isolated Cart) async throws {
        try await cart.execute(AddArticle(name: "coffee"))
        try await cart.execute(AddArticle(name: "cake"))
    }
}

private protocol CartAction: Action where Dispatcher == Cart {}

extension CartAction {
    fileprivate func dispatch(to cart: Cart) { cart.queue(self) }
}

private struct AddCake: CartAction {
    func execute(with cart: isolated Cart) async throws { try await cart.add("cake") }
}

private struct DrainAndAdd: Action {
    func execute(with cart: isolated Cart) async throws {
        do {
            try await cart.drain()
        } catch let error as PipelineError where error.code == .deadlock {
            cart.queue(AddArticle(name: "cake"))
        }
    }
}

private struct NoSuchArticle: Error, Equatable {
    let name: String
}

private struct SlowPrices: Prices {
    func price(of article: String) async throws -> Int {
        await Task.yield()
        switch article {
        case "coffee": return 3
        case "cake": return 4
        default: throw NoSuchArticle(name: article)
        }
    }
}

@Suite(.timeLimit(.minutes(2))) struct SerialActionsTests {
    @Test func concurrentAdditionsLoseNoPrice() async throws {
        let cart = Cart(prices: SlowPrices())

        try await withThrowingTaskGroup { group in
            for _ in 0..<100 { group.addTask { try await cart.dispatch(AddCoffeeAndCake()) } }
            try await group.waitForAll()
        }

        #expect(await cart.total == 700)
    }

    @Test func actionsWaitWhileTheDispatcherIsPaused() async throws {
        let cart = Cart(prices: SlowPrices())

        cart.deactivate()
        cart.queue(AddArticle(name: "coffee"))
        #expect(await cart.total == 0)

        cart.activate()
        try await cart.drain()
        #expect(await cart.total == 3)
    }

    @Test func anActionQueuesItselfFromSynchronousCode() async throws {
        let cart = Cart(prices: SlowPrices())
        func addCake() { AddCake().dispatch(to: cart) }

        addCake()
        try await cart.drain()

        #expect(await cart.total == 4)
    }

    @Test func drainingTheOwnDispatcherThrowsADeadlock() async throws {
        let cart = Cart(prices: SlowPrices())

        try await cart.dispatch(DrainAndAdd())
        try await cart.drain()

        #expect(await cart.total == 4)
    }

    @Test func awaitingAnActionThrowsItsError() async {
        let cart = Cart(prices: SlowPrices())

        await #expect(throws: NoSuchArticle(name: "tea")) { try await cart.dispatch(AddArticle(name: "tea")) }
        #expect(await cart.total == 0)
    }
}
