// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AsyncAlgorithms
import Foundation
import GRDB
import HTTPTypes
import Headrace
import HeadraceHummingbird
import HeadraceInspector
import Hummingbird
import Logging
import Metrics
import NIOCore
import ServiceLifecycle
import Testing
import Tracing

/// A service of ServiceLifecycle.
private struct Heartbeat: Service {
    func run() async throws {}
}

/// A trait of Testing.
private struct Slow: SuiteTrait, TestTrait {}

extension Tag {
    @Tag fileprivate static var neighbor: Tag
}

/// A program of ArgumentParser.
private struct Seed: AsyncParsableCommand {
    @Option var count = 1
    @Flag var verbose = false
    @Argument var name = "seats"
}

@Suite(Slow(), .tags(.neighbor)) struct NeighborTests {
    private typealias SomeTrait = Trait

    @Test(Slow()) func theNamesOfOtherPackagesAreNotAmbiguous() async throws {
        let names: [(Any.Type, String)] = [
            (Heartbeat.self as any Service.Type, "Heartbeat"),
            (Row.self, "GRDB.Row"), (Column.self, "GRDB.Column"), (Configuration.self, "GRDB.Configuration"),
            (Database.self, "GRDB.Database"), (DatabasePool.self, "GRDB.DatabasePool"),
            (Environment.self, "Hummingbird.Environment"), (Request.self, "HummingbirdCore.Request"),
            (Response.self, "HummingbirdCore.Response"), (Router<BasicRequestContext>.self, "Hummingbird.Router"),
            (ByteBuffer.self, "NIOCore.ByteBuffer"), (HTTPField.self, "HTTPTypes.HTTPField"),
            (Logger.self, "Logging.Logger"), (Counter.self, "CoreMetrics.Counter"), (Gauge.self, "CoreMetrics.Gauge"),
            (MetricsMiddleware<BasicRequestContext>.self, "Hummingbird.MetricsMiddleware"),
            (TracingMiddleware<BasicRequestContext>.self, "Hummingbird.TracingMiddleware"),
            (ValidationError.self, "ArgumentParser.ValidationError"),
            (ServiceGroup.self, "ServiceLifecycle.ServiceGroup"), (Task<Void, Never>.self, "Swift.Task"),
            (Test.self, "Testing.Test"), (Tag.self, "Testing.Tag"),
            (AsyncChannel<Int>.self, "AsyncAlgorithms.AsyncChannel"),
            (Notification.self, "Foundation.Notification"),
            (ContinuousClock.self as any Clock.Type, "Swift.ContinuousClock"),
        ]

        for (type, name) in names {
            #expect(String(reflecting: type).contains(name))
        }
        #expect(Table("seats").tableName == "seats")
        try await withSpan("rows") { _ in try await Heartbeat().run() }
    }
}
