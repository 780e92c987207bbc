// SPDX-License-Identifier: Apache-2.0

import Headrace
import Shelf

@Resolvable
final class ClearScreenHandler: HandlesCommand {
    private let screen: Screen

    @MainActor
    func handle(_ command: ClearScreen) async throws {
        await clear()
    }

    @MainActor
    private func clear() async {
        screen.clear()
    }
}
