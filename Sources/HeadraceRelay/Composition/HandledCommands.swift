// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceDomain
import HeadraceResolution

extension [any RegistrationNote] {
    /// The durable commands that a dispatcher of the container handles, each once.
    var handledCommands: [any (CQDCommand & DurableCommand).Type] {
        var known: Set<ObjectIdentifier> = []
        return compactMap { note in
            guard let entry = note as? HandlerCatalog.MessageEntry, !entry.handlers.isEmpty else { return nil }
            return entry.message as? any (CQDCommand & DurableCommand).Type
        }
        .filter { known.insert(ObjectIdentifier($0)).inserted }
    }
}

/// Returns the durable commands that the dispatcher of the container carries out, without those that have an operation.
func handledCommands(
    in scope: any DependencyResolutionScope,
    except operations: [ScheduledCommand]
) -> [ScheduledCommand] {
    let known = Set(operations.map { ObjectIdentifier($0.type) })
    return scope.registrationNotes.handledCommands
        .filter { !known.contains(ObjectIdentifier($0)) }
        .map { dispatched($0) }
}

private func dispatched<Command: CQDCommand & DurableCommand>(_ command: Command.Type) -> ScheduledCommand {
    ScheduledCommand(command)
}
