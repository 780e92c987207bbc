// SPDX-License-Identifier: Apache-2.0

#if SQLite && (os(macOS) || os(Linux))
import Foundation
import Headrace
import HeadraceStorage
import HeadraceTesting

/// A shop that takes three orders of a client, and sends a mail for each.
///
///     ShopSubject right | without-key | marks-first | acknowledges-first
///
/// It keeps its files in its working folder: the store, the outbox of the mails, and the memory of the client, which sends each
/// order again until it was acknowledged. All words but the first name the mistake of the shop.
@main
enum ShopSubject {
    static func main() async throws {
        guard let word = CommandLine.arguments.dropFirst().first, let mistake = Mistake(rawValue: word) else {
            FileHandle.standardError.write(Data("Usage: ShopSubject right | …\n".utf8))
            exit(2)
        }
        var configuration = SQLiteStore.Configuration()
        configuration.faults = CrashFaults.store
        let store = try SQLiteStore(path: "shop.sqlite", entities: [Order.self], configuration: configuration)
        let container = try makeContainer(store: store, mistake: mistake)

        let memory = File("client.txt")
        let dispatcher: any CommandQueryDispatcher = container.resolve()
        for number in 1...3 where !memory.lines.contains("\(number)") {
            if mistake == .acknowledgesFirst { memory.acknowledge(number) }
            try await IdempotencyMiddleware.withKey(mistake == .withoutKey ? nil : "order/\(number)") {
                try await dispatcher.dispatch(PlaceOrder(number: number))
            }
            if mistake != .acknowledgesFirst { memory.acknowledge(number) }
        }
        try await deliverAll(by: container.resolve(), on: store)
        try store.close()
    }

    private static func makeContainer(store: SQLiteStore, mistake: Mistake) throws -> Container {
        let builder = ContainerBuilder()
        builder.singleton { store }
        builder.singleton { mistake }
        var relay = Relay.Configuration()
        // The relay takes over the leases of a dead process when they have expired.
        relay.leaseDuration = .milliseconds(400)
        relay.pollInterval = .milliseconds(50)
        // One handler at a time, so that the test knows which mails are repeated.
        relay.concurrency = 1
        builder.domain(
            store: store,
            handlers: [MailOrder.self],
            relay: relay,
            observers: CrashFaults.observers
        )
        builder.commandQueryDispatch().standard(
            commandHandlers: [PlaceOrderHandler.self],
            resolvedMiddleware: [IdempotencyMiddleware.self]
        )
        try builder.validate()
        return builder.build()
    }

    private static func deliverAll(by relay: Relay, on store: SQLiteStore) async throws {
        async let running: Void = relay.run()
        // A delivery can wait for the end of a lease of a dead process.
        while try await store.deliveryStatistics().pendingCount > 0 { try await Task.sleep(for: .milliseconds(20)) }
        relay.shutDown()
        try await running
    }
}

enum Mistake: String {
    case none = "right"
    case withoutKey = "without-key"
    case marksFirst = "marks-first"
    case acknowledgesFirst = "acknowledges-first"
}

extension FaultPoint {
    static let mailSent = FaultPoint(rawValue: "mail-sent")
}

/// Lines that the process appends to a file, each with one call of the operating system.
struct File {
    private let path: String

    init(_ path: String) { self.path = path }

    var lines: [String] {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    func append(_ line: String) {
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        guard let handle = FileHandle(forWritingAtPath: path) else { return }
        _ = try? handle.seekToEnd()
        handle.write(Data((line + "\n").utf8))
    }

    func acknowledge(_ number: Int) {
        append("\(number)")
        CrashFaults.acknowledge("ordered \(number)")
    }
}
#else
/// Without the trait SQLite there is no store that could survive a crash, so this program does nothing.
@main
enum ShopSubject {
    static func main() {}
}
#endif
