// SPDX-License-Identifier: Apache-2.0

#if Tool
import ArgumentParser
import Foundation
import HeadraceDomain
import HeadraceResolution
import HeadraceWorkflows

/// Lists, shows, cancels, terminates, retries, and forks instances of workflows.
struct WorkflowCommands: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "workflows",
        abstract: "Lists, shows, cancels, terminates, retries, or forks instances of workflows.",
        discussion: """
            For example, let a failed instance go on with the step that has failed:

              headrace workflows list --state failed
              headrace workflows show fulfilment 7
              headrace workflows retry fulfilment 7 --operator anna

            The tool can't check whether the code of a program fits the journals, because it doesn't know the code. The \
            program does that at its launch, with 'validate(.strict, replaying: store)'.
            """,
        subcommands: [List.self, Show.self, Cancel.self, Terminate.self, Retry.self, Fork.self],
        defaultSubcommand: List.self
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists instances, by workflow and identifier (the default)."
        )

        @Option(help: "The name of a workflow; all by default.")
        var name: String?

        @Option(
            help: ArgumentHelp("A state: \(stateNames); all by default.", valueName: "state"),
            completion: .list(WorkflowState.allCases.map(\.rawValue)),
            transform: parseState
        )
        var state: WorkflowState?

        @Option(help: "Maximum number of instances.")
        var limit = 100

        @Option(
            help: ArgumentHelp("The cursor from the end of the previous page.", valueName: "cursor"),
            transform: parseCursor
        )
        var after: PageCursor?

        @OptionGroup var store: StoreOption

        private static let stateNames = WorkflowState.allCases.map(\.rawValue).joined(separator: ", ")

        private static func parseState(_ text: String) throws -> WorkflowState {
            guard let state = WorkflowState(rawValue: text) else {
                throw ValidationError("There is no state '\(text)'. Use one of: \(stateNames).")
            }
            return state
        }

        private static func parseCursor(_ text: String) throws -> PageCursor {
            guard let cursor = PageCursor(text) else {
                throw ValidationError("'\(text)' is no cursor. Use the cursor at the end of the previous page.")
            }
            return cursor
        }

        func validate() throws {
            if limit < 1 { throw ValidationError("'--limit' must be at least 1.") }
        }

        func run() async throws {
            try await store.run(with: .workflows) { open in
                let page = try await Workflows(in: open).list(named: name, in: state, after: after, limit: limit)
                return WorkflowList(
                    page.instances,
                    next: page.next,
                    isWhole: name == nil && state == nil && after == nil
                )
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints an instance with its waits and its journal.",
            discussion: "Long results and errors are shortened. '--json' prints them in full."
        )

        @OptionGroup var instance: InstanceArguments
        @OptionGroup var store: StoreOption

        func run() async throws {
            try await store.run(with: .workflows) { open in
                WorkflowReport(try await Workflows(in: open).details(of: instance.storedID))
            }
        }
    }

    struct Cancel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Cancels an instance, so that its code can compensate.",
            discussion: """
                The steps that the code waits for throw a cancellation, and the steps that follow are carried out. So a program \
                must run. An instance that waits for its concurrency key ends at once.
                """
        )

        @OptionGroup var instance: InstanceArguments
        @OptionGroup var change: ChangeOption

        func run() async throws {
            try await change.run(with: .workflows) { open, recorder in
                let workflows = Workflows(in: open)
                try await workflows.requireOpen(instance.storedID)
                try await recorder.record("cancel workflow", of: [instance.storedID])
                try await workflows.cancel(instance.storedID)
                let status = try await workflows.status(ofExisting: instance.storedID)
                return WorkflowChange(status, "The cancellation of '\(instance.storedID)' is stored")
            }
        }
    }

    struct Terminate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ends an instance for good, without its code. Nothing is compensated."
        )

        @OptionGroup var instance: InstanceArguments
        @OptionGroup var change: ChangeOption

        func run() async throws {
            try await change.run(with: .workflows) { open, recorder in
                let workflows = Workflows(in: open)
                try await workflows.requireOpen(instance.storedID)
                try await recorder.record("terminate workflow", of: [instance.storedID])
                try await workflows.terminate(instance.storedID)
                let status = try await workflows.status(ofExisting: instance.storedID)
                return WorkflowChange(status, "'\(instance.storedID)' has ended")
            }
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lets a failed instance go on with the step that failed, or an open one without its pause.",
            discussion: """
                The journal from that step on is removed, also the records of compensation; these steps can take effect again. \
                If the code itself has thrown the error, it throws it again until the program has other code.
                """
        )

        @OptionGroup var instance: InstanceArguments
        @OptionGroup var change: ChangeOption

        func run() async throws {
            try await change.run(with: .workflows) { open, recorder in
                let workflows = Workflows(in: open)
                try await workflows.requireRetryable(instance.storedID)
                try await recorder.record("retry workflow", of: [instance.storedID])
                try await workflows.retry(instance.storedID)
                let status = try await workflows.status(ofExisting: instance.storedID)
                return WorkflowChange(status, "'\(instance.storedID)' will go on")
            }
        }
    }

    struct Fork: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Starts a new instance with the results that another has before a step, and goes on there.",
            discussion: "The other instance stays as it is. The steps from that step on take effect again."
        )

        @OptionGroup var instance: InstanceArguments

        @Option(name: .customLong("from"), help: "The number of the first step to repeat, counting from 1.")
        var step: Int

        @Option(name: .customLong("as"), help: ArgumentHelp("The identifier of the new instance.", valueName: "id"))
        var newID: String

        @OptionGroup var change: ChangeOption

        func validate() throws {
            if step < 1 { throw ValidationError("'--from' must be at least 1.") }
            if newID.isEmpty { throw ValidationError("'--as' must not be empty.") }
        }

        func run() async throws {
            try await change.run(with: .workflows) { open, recorder in
                let workflows = Workflows(in: open)
                let fork = StoredWorkflow.id(of: instance.name, key: newID)
                _ = try await workflows.status(ofExisting: instance.storedID)
                if try await workflows.status(of: fork) != nil { throw ToolFailure.existingWorkflow(fork) }
                try await recorder.record("fork workflow", of: [instance.storedID, "from step \(step)", fork])
                if try await !workflows.fork(instance.storedID, from: step, as: newID) {
                    throw ToolFailure.existingWorkflow(fork)
                }
                let status = try await workflows.status(ofExisting: fork)
                let count = status.stepCount == 1 ? "1 step" : "\(status.stepCount) steps"
                return WorkflowChange(status, "'\(fork)' has \(count) of '\(instance.storedID)' and will go on")
            }
        }
    }
}

/// The arguments that name an instance.
struct InstanceArguments: ParsableArguments {
    @Argument(help: "The name of the workflow.") var name: String
    @Argument(help: "The identifier of the instance, as 'list' shows it.") var id: String

    /// The identifier under which the instance is stored.
    var storedID: String { StoredWorkflow.id(of: name, key: id) }
}

extension Workflows {
    fileprivate init(in open: OpenStore) {
        self.init(on: open.store, delegator: DomainEventHandlerRegistrar(resolver: ContainerBuilder().build()))
    }

    /// Returns the state of an instance, or throws ``HeadraceWorkflows/WorkflowError`` if there is none.
    fileprivate nonisolated(nonsending) func status(ofExisting instance: String) async throws -> WorkflowStatus {
        guard let status = try await status(of: instance) else { throw WorkflowError.unknown(instance) }
        return status
    }

    /// Throws ``HeadraceWorkflows/WorkflowError`` if an instance doesn't exist or has ended.
    fileprivate nonisolated(nonsending) func requireOpen(_ instance: String) async throws {
        let status = try await status(ofExisting: instance)
        if status.endedAt != nil { throw WorkflowError.ended(status) }
    }

    /// Throws an error if a retry of an instance has no effect.
    fileprivate nonisolated(nonsending) func requireRetryable(_ instance: String) async throws {
        let status = try await status(ofExisting: instance)
        if status.state == .queued { throw ToolFailure.queuedWorkflow(instance) }
        if status.endedAt != nil, status.state != .failed { throw WorkflowError.ended(status) }
    }
}

extension ToolFailure {
    fileprivate static func existingWorkflow(_ instance: String) -> ToolFailure {
        ToolFailure(
            description: """
                The store already has a workflow '\(instance)', so nothing was changed. To fix, choose another identifier with '--as'.
                """
        )
    }

    fileprivate static func queuedWorkflow(_ instance: String) -> ToolFailure {
        ToolFailure(
            description: """
                The workflow '\(instance)' waits for its concurrency key, so nothing was changed. To fix, see in 'headrace workflows \
                show' which instances have the key, and let them end.
                """
        )
    }
}
#endif
