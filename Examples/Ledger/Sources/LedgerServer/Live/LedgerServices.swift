// SPDX-License-Identifier: Apache-2.0

#if Server
import Headrace
import HeadraceServices
import HeadraceStorage
import Logging

/// The service tree of the page.
///
/// It loads the state, and refreshes it when the event log of the store grows.
struct LedgerServices: Service {
    private static let pageSize = 512

    let store: any DeliveryStore

    /// The position in the event log after which the page follows it.
    let position: Int64

    /// Interval between two checks for the commits of other processes.
    let pollInterval: Duration
    let clock: any TimeSource

    var body: some Service {
        Store(model: PageModel.self)
            .bootstrap { model in try await model.load() }
            .mutate(on: BooksChanged.self) { model, change, _ in try await model.refresh(change) }
            .emit(
                using: ActionFeed(after: position, every: .zero) { position in
                    await nextPage(after: position)
                } position: { page in
                    page.last?.position ?? 0
                } action: { page in
                    BooksChanged(page)
                }
            )
    }

    /// Returns the events of the log after `position`, as one page.
    ///
    /// If there are none, or if the store can't be read, it returns nothing when this process has committed, or after
    /// ``pollInterval``.
    @Sendable
    private func nextPage(after position: Int64) async -> [[EventRecord]] {
        let signal = store.deliverySignal.position
        do {
            let events = try await store.events(after: position, limit: Self.pageSize)
            if !events.isEmpty { return [events] }
        } catch is CancellationError {
            return []
        } catch {
            Logger.current.warning(
                "The event log can't be read. It is read again later.", metadata: ["error": "\(error)"])
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await store.deliverySignal.wait(after: signal) }
            group.addTask { try? await clock.sleep(until: clock.now.advanced(by: pollInterval), tolerance: nil) }
            await group.next()
            group.cancelAll()
        }
        return []
    }
}
#endif
