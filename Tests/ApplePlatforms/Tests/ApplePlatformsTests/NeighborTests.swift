// SPDX-License-Identifier: Apache-2.0

// SwiftData comes first: if a module that imports a stand-in is loaded before the stand-in, the compiler (6.3.1) misses the
// conformances that the macros of the stand-in write.
// swift-format-ignore: OrderedImports
import SwiftData
import Combine
import Foundation
import Headrace
import HeadraceSwiftUI
import SwiftUI
import Testing

@Model
private final class Row {
    var title: String

    init(title: String) {
        self.title = title
    }
}

private struct Rows: View {
    @State private var chosen: String?
    @Query private var rows: [Row]
    @Environment(\.modelContext) private var context

    var body: some View {
        Group {
            Text(chosen ?? "none of \(rows.count)")
        }
    }
}

@Suite @MainActor struct NeighborTests {
    @Test func theNamesOfApplesModulesAreNotAmbiguous() {
        let types: [Any.Type] = [
            State<Int>.self, Query<Row, [Row]>.self, Environment<Int>.self, Group<Text>.self, Binding<Int>.self,
            AnyCancellable.self, ModelContext.self,
        ]

        for type in types {
            #expect(String(reflecting: type).hasPrefix("StandIn"))
        }
        #expect(Rows.self is any View.Type)
    }
}
