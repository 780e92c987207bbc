// SPDX-License-Identifier: Apache-2.0

import HeadraceCommands
import HeadraceMacros
import HeadraceResolution

// Mistakes with handlers of messages. Each error names the mistake and the remedy.

struct Rename: CQDCommand {}

struct GetName: CQDQuery {
    typealias Value = String
}

@Resolvable
final class RenameHandler: HandlesCommand {
    func handle(_ command: Rename) async throws {}
}

@Resolvable
final class GetNameHandler: HandlesQuery {
    func handle(_ query: GetName) async throws -> String { "" }
}

final class UnresolvableHandler: HandlesCommand {
    func handle(_ command: Rename) async throws {}
}

func registerAQueryHandlerForCommands(in builder: any DependencyRegistry) {
    // expected-error@+1 {{A list contains a type that doesn't belong there. To fix, put types that conform to 'HandlesCommand' into 'commandHandlers'}}
    builder.commandQueryDispatch().standard(commandHandlers: [RenameHandler.self, GetNameHandler.self])
}

func registerACommandHandlerForQueries(in builder: any DependencyRegistry) {
    // expected-error@+1 {{'HandlesQuery' into 'queryHandlers', 'HandlesStreamQuery' into 'streamHandlers', and 'HandlesNotification' into 'notificationHandlers'.}}
    builder.commandQueryDispatch().standard(queryHandlers: [RenameHandler.self])
}

func registerAHandlerThatNoScopeCanCreate(in builder: any DependencyRegistry) {
    // expected-error@+1 {{A handler isn't 'Resolvable', so a scope can't create it. To fix, write '@Resolvable' before each handler.}}
    builder.commandQueryDispatch().standard(commandHandlers: [RenameHandler.self, UnresolvableHandler.self])
}

// expected-error@+2 {{type 'HandlerWithAnotherOutput' does not conform to protocol 'HandlesCommand'}}
// expected-error@+1 {{No method 'handle(_:)' takes the command and returns its 'Output'. To fix, return nothing, or write 'typealias Output = …' in the command.}}
struct HandlerWithAnotherOutput: HandlesCommand {
    func handle(_ command: Rename) async throws -> Int { 1 }
}

// expected-error@+2 {{type 'HandlerWithAnotherValue' does not conform to protocol 'HandlesQuery'}}
// expected-error@+1 {{No method 'handle(_:)' takes the query and returns its 'Value'. To fix, return a value of the type that the query declares by 'typealias Value'.}}
struct HandlerWithAnotherValue: HandlesQuery {
    func handle(_ query: GetName) async throws -> Int { 1 }
}

// expected-error@+2 {{type 'ResolvableWithoutTheMacro' does not conform to protocol 'Resolvable'}}
// expected-error@+1 {{The type doesn't declare how it is created from a scope. To fix, write '@Resolvable' before the type, or declare 'init(scope:)'.}}
final class ResolvableWithoutTheMacro: Resolvable {
    let handler: RenameHandler

    init(handler: RenameHandler) {
        self.handler = handler
    }
}
