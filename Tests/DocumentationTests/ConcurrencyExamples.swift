// SPDX-License-Identifier: Apache-2.0

import Headrace
import HeadraceCore
import HeadraceTesting
import Synchronization
import Testing

private struct Account {
    var id: String
}

private struct TooManyUploads: Error {}

private struct PaymentRefused: CodedError {
    enum Code { case expired, limitExceeded }

    let code: Code
    let message: String
}

private struct Withdraw: CQDCommand, SerializedCommand {
    let account: String
    let amount: Int

    var lockKeys: Set<String> { [account] }
}

private final class WithdrawHandler: HandlesCommand, Resolvable {
    init(scope: any DependencyResolutionScope) {}

    func handle(_ command: Withdraw) async throws {}
}

@Suite(.timeLimit(.minutes(1))) struct ConcurrencyExamples {
    @Test func aKeyedLockRunsTheOperationOfItsKey() async throws {
        let account = Account(id: "a")
        var closed: [String] = []
        func close(_ account: Account) async throws { closed.append(account.id) }
        let lock = KeyedLock<String>()

        try await lock.withLock(account.id) {
            try await close(account)
        }
        #expect(closed == ["a"])
    }

    @Test func aOneShotKeepsItsValue() async throws {
        let isStored = OneShot<Bool>()

        isStored.set(true)

        // in other tasks, before or after
        let wasStored = try await isStored.wait()
        #expect(wasStored)
    }

    @Test func permitsAreAwaitedOrTried() async throws {
        let upload = "upload"
        var stored: [String] = []
        func store(_ upload: String) async throws { stored.append(upload) }
        func perform() async throws {
            let uploads = Permits(4)

            // waits for a permit
            try await uploads.withPermit { try await store(upload) }

            // or refuses the upload if none is free
            guard let permit = uploads.tryAcquire() else { throw TooManyUploads() }
            withExtendedLifetime(permit) {}
        }
        try await perform()
        #expect(stored == ["upload"])
    }

    @Test func anErrorHasTheNameOfItsCode() {
        let error = PaymentRefused(code: .limitExceeded, message: "The limit is exceeded.")
        #expect(error.codeName == "limitExceeded")
        #expect("\(error)" == "The limit is exceeded.")
    }

    @Test func serializedCommandsPassTheirMiddleware() async throws {
        let builder = ContainerBuilder()
        builder.commandQueryDispatch().standard(
            commandHandlers: [WithdrawHandler.self],
            middleware: [RetryMiddleware(), SerializingMiddleware()]
        )
        let dispatcher: any CommandQueryDispatcher = builder.build().resolve()
        try await dispatcher.dispatch(Withdraw(account: "a", amount: 1))
    }
}
