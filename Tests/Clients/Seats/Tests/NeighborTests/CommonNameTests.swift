// SPDX-License-Identifier: Apache-2.0

import CommonNames
import Headrace
import Testing

@Suite struct CommonNameTests {
    /// An expression such as `Group.self` ignores a generic type of the same name, and a type doesn't.
    private typealias Names = (
        Action, Bootstrap, Builder, Cache, Case, Client, Command, Context, Effect, Entity, Event, Feed, Group, Handler,
        Job, Lock, Message, Model, Notification, Permit, Pipeline, Query, Queue, Reducer, Scene, Scope, Send, Session,
        State, Station, Store, Stream, Transaction, View, Worker
    )

    @Test func aCommonNameIsNotAmbiguous() {
        let names = String(reflecting: Names.self).split(separator: ", ")

        #expect(names.count == 35)
        for name in names {
            #expect(name.contains("CommonNames."))
        }
    }
}
