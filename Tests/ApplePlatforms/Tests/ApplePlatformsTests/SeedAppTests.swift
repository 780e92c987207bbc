// SPDX-License-Identifier: Apache-2.0

import Headrace
import HeadraceSwiftUI
import SwiftUI
import Testing

/// The application, drawn and used.
@Suite(.timeLimit(.minutes(1))) @MainActor struct SeedAppTests {
    @Test func aButtonDispatchesACommandWhoseHandlerSavesAModel() async throws {
        let screen = Screen(MyApp())
        #expect(screen.texts == ["…"])
        #expect(screen.buttons == [])

        await screen.drawAfterChange()
        #expect(screen.texts == [])
        #expect(screen.buttons == ["Add", "View Random"])

        try screen.press("Add")
        await screen.drawAfterChange()
        #expect(screen.texts.count == 1)
        #expect(screen.texts.first?.hasPrefix("Entity ") == true)

        try screen.press("View Random")
        await screen.drawAfterChange()
        let name = try #require(screen.texts.first)
        #expect(screen.texts == [name, "Random: \(name)"])
    }

    @Test func anErrorOfAHandlerReachesTheView() async throws {
        let screen = Screen(MyApp())
        await screen.drawAfterChange()

        try screen.press("View Random")
        await screen.drawAfterChange()

        #expect(screen.texts == ["Error: notFound"])
    }

    @Test func aViewResolvesFromTheNearestScope() {
        let (outer, inner) = (container(greeting: "outer"), container(greeting: "inner"))

        let screen = Screen(
            NavigationStack {
                Greeting()
                Greeting().resolving(from: inner)
            }
            .resolving(from: outer)
        )

        #expect(screen.texts == ["outer", "inner"])
    }

    @Test func aViewWithoutAScopeStopsTheProgramWithTheFix() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await MainActor.run { _ = Screen(Greeting()) }
        }

        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(output.contains("A view resolves 'Swift.String', but its environment has no scope."))
        #expect(output.contains("'.resolving(from: container)'"))
    }

    private func container(greeting: String) -> Container {
        let builder = ContainerBuilder()
        builder.transient { greeting }
        return builder.build()
    }
}

@ResolvedScope
private struct Greeting: View {
    @Resolved private var greeting: String

    var body: some View {
        Text(greeting)
    }
}
