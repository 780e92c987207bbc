// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceCore
import HeadraceDomain
public import HeadraceResolution

extension CompositionProblem.Kind {
    /// The declaration of a process is incomplete, or contradicts another declaration.
    public static let invalidProcess = CompositionProblem.Kind("invalidProcess")
}

/// The processes of a domain, and the commands that its relay carries out, for the validation of the graph.
struct ProcessDeclaration: RegistrationNote {
    let processes: [any DurableProcess.Type]
    let scheduled: [ScheduledCommand]

    /// Returns the mistakes in the declarations of the processes.
    static func problems(in notes: [ProcessDeclaration]) -> [CompositionProblem] {
        let processes = notes.flatMap(\.processes)
        var byName: [String: any DurableProcess.Type] = [:]
        let duplicates = processes.compactMap { process -> CompositionProblem? in
            guard let other = byName.updateValue(process, forKey: process.processName) else { return nil }
            let message =
                other == process
                ? "The process '\(String(naming: process))' is declared twice. To fix, remove one from 'processes: […]'."
                : RepeatableSubscription.mistake(other, process, process.processName)
            return CompositionProblem(.invalidProcess, path: [process], message: message)
        }
        let mistakes = byName.values.sorted { $0.processName < $1.processName }.flatMap { process in
            process.mistakes.map { CompositionProblem(.invalidProcess, path: [process], message: $0) }
        }
        return duplicates + mistakes
    }

    /// Returns also each command of a process that has neither a handler nor an operation.
    static func problems(in notes: [ProcessDeclaration], among all: [any RegistrationNote]) -> [CompositionProblem] {
        let handled = Set(all.handledCommands.map { ObjectIdentifier($0) })
        // An operation that dispatches the command needs a handler, too.
        let operations = notes.flatMap(\.scheduled).filter { !$0.isDispatched }
        let carriedOut = handled.union(operations.map { ObjectIdentifier($0.type) })
        var reported: Set<ObjectIdentifier> = []
        var problems = problems(in: notes)
        for process in notes.flatMap(\.processes) {
            for command in process.commands where reported.insert(ObjectIdentifier(command)).inserted {
                if carriedOut.contains(ObjectIdentifier(command)) { continue }
                problems.append(
                    CompositionProblem(
                        .missingHandler,
                        path: [process, command],
                        message: """
                            '\(String(naming: process))' sends '\(String(naming: command))', which has no handler. To fix, add \
                            its handler to 'commandHandlers: […]', or its operation to 'scheduled: […]'.
                            """
                    )
                )
            }
        }
        return problems
    }
}
