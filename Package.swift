// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// Compiler settings of every target, also in clients' builds, in which SwiftPM ignores warnings as errors.
let strictSettings: [SwiftSetting] = [
    // Existential types need `any`. SE-0335
    .enableUpcomingFeature("ExistentialAny"),
    // Imports are internal unless they are marked `public`. SE-0409
    .enableUpcomingFeature("InternalImportsByDefault"),
    // A file must import the module of each member that it uses. SE-0444
    .enableUpcomingFeature("MemberImportVisibility"),
    // Async functions stay on their caller's actor. SE-0461
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    // A conformance has the isolation of its type. SE-0470
    .enableUpcomingFeature("InferIsolatedConformances"),
    // A weak capture can be immutable, and so Sendable. SE-0481
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    // Unsafe code needs `unsafe`. SE-0458
    .strictMemorySafety(),
    // Warnings are errors. SE-0480
    .treatAllWarnings(as: .error),
]

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let coreMetrics = Target.Dependency.product(name: "CoreMetrics", package: "swift-metrics")
let metricsTestKit = Target.Dependency.product(name: "MetricsTestKit", package: "swift-metrics")
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let inMemoryTracing = Target.Dependency.product(name: "InMemoryTracing", package: "swift-distributed-tracing")
let inMemoryLogging = Target.Dependency.product(name: "InMemoryLogging", package: "swift-log")

/// The modules that an application uses, without drivers and tools.
let features: [Target.Dependency] = [
    "HeadraceCommands", "HeadraceCore", "HeadraceDomain", "HeadraceProcesses", "HeadraceProjections", "HeadraceRelay",
    "HeadraceResilience", "HeadraceResolution", "HeadraceServices", "HeadraceStations", "HeadraceStorage",
    "HeadraceWorkflows",
]

/// Returns a product that only the trait `trait` needs.
func product(_ name: String, of package: String, for trait: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: [trait]))
}

let argumentParser = product("ArgumentParser", of: "swift-argument-parser", for: "Tool")
let serviceLifecycle = product("ServiceLifecycle", of: "swift-service-lifecycle", for: "Lifecycle")
let asyncAlgorithms = product("AsyncAlgorithms", of: "swift-async-algorithms", for: "Hummingbird")
let asyncHTTPClient = product("AsyncHTTPClient", of: "async-http-client", for: "AsyncHTTPClient")
let grdb = product("GRDB", of: "GRDB.swift", for: "SQLite")
let httpTypes = product("HTTPTypes", of: "swift-http-types", for: "Client")
let hummingbird = product("Hummingbird", of: "hummingbird", for: "Hummingbird")
let nioHTTPTypes = product("NIOHTTPTypes", of: "swift-nio-extras", for: "Hummingbird")

/// Returns products of swift-nio that only the trait `trait` needs.
func nio(_ names: [String], for trait: String) -> [Target.Dependency] {
    names.map { product($0, of: "swift-nio", for: trait) }
}

func swiftSyntax(_ name: String) -> Target.Dependency { product(name, of: "swift-syntax", for: "Macros") }

let libraries = [
    "Headrace", "HeadraceClient", "HeadraceCore", "HeadraceResolution", "HeadraceCommands", "HeadraceFlux",
    "HeadraceCommandEffects", "HeadraceDomain", "HeadraceHummingbird", "HeadraceInspector", "HeadracePostgres",
    "HeadraceProcesses", "HeadraceProjections", "HeadraceRelay", "HeadraceResilience", "HeadraceServices",
    "HeadraceSimulation", "HeadraceSQLite", "HeadraceStations", "HeadraceStorage", "HeadraceStoreContract",
    "HeadraceMacros", "HeadraceSwiftUI", "HeadraceTesting", "HeadraceWorkflows",
]

let package = Package(
    name: "headrace",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: libraries.map { .library(name: $0, targets: [$0]) }
        + [.executable(name: "headrace", targets: ["HeadraceToolProgram"])],
    traits: [
        .trait(
            name: "Hummingbird",
            description: "Routes, middleware, and services for an HTTP server. Adds hummingbird.",
            enabledTraits: ["Client", "Lifecycle"]
        ),
        .trait(name: "Client", description: "A dispatcher for the handlers of a server. Adds swift-http-types."),
        .trait(
            name: "AsyncHTTPClient",
            description: "A transport for servers that are clients. Adds async-http-client.",
            enabledTraits: ["Client"]
        ),
        .trait(name: "SQLite", description: "The embedded store on SQLite. Adds GRDB."),
        .trait(name: "Postgres", description: "The store that processes and machines share. Needs libpq."),
        .trait(name: "Macros", description: "The macros @Resolvable and @DomainEntity. Adds swift-syntax."),
        .trait(name: "Lifecycle", description: "The relay as a service. Adds swift-service-lifecycle."),
        .trait(
            name: "Simulations",
            description: "Simulations of a whole application. Needs interfaces of Swift that aren't stable yet."
        ),
        .trait(name: "Tool", description: "The command-line tool 'headrace'. Adds swift-argument-parser."),
        .default(enabledTraits: ["SQLite", "Macros", "Lifecycle"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        // The next two are compiled only with HeadraceTesting.
        .package(url: "https://github.com/pointfreeco/swift-custom-dump", from: "1.7.3"),
        .package(url: "https://github.com/pointfreeco/xctest-dynamic-overlay", from: "1.13.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
    ],
    targets: [
        // MARK: Core
        .target(
            name: "HeadraceCore",
            dependencies: [
                coreMetrics, .product(name: "Instrumentation", package: "swift-distributed-tracing"), logging, tracing,
            ]
        ),
        .testTarget(
            name: "HeadraceCoreTests",
            dependencies: [
                "HeadraceCore", "HeadraceTesting", "MiddlewareTestSupport", inMemoryLogging, inMemoryTracing, logging,
                metricsTestKit, tracing,
            ]
        ),

        // Middleware that refuses messages: rate limits, circuits, and bulkheads.
        .target(name: "HeadraceResilience", dependencies: ["HeadraceCore", coreMetrics]),
        .testTarget(
            name: "HeadraceResilienceTests",
            dependencies: [
                "HeadraceCore", "HeadraceResilience", "HeadraceTesting", "MiddlewareTestSupport", coreMetrics,
                metricsTestKit,
            ]
        ),
        // Messages and handlers that the tests of middleware share.
        .target(
            name: "MiddlewareTestSupport",
            dependencies: ["HeadraceCore", "HeadraceTesting"],
            path: "Tests/MiddlewareTestSupport"
        ),

        // Encodes and decodes documents, events, and journals.
        .target(name: "HeadraceJSON"),
        .testTarget(name: "HeadraceJSONTests", dependencies: ["HeadraceJSON", "HeadraceTesting"]),

        // MARK: Features
        .target(name: "HeadraceResolution", dependencies: ["HeadraceCore"]),
        .testTarget(name: "HeadraceResolutionTests", dependencies: ["HeadraceResolution", "HeadraceTesting"]),

        .target(name: "HeadraceCommands", dependencies: ["HeadraceCore", "HeadraceResolution", logging]),
        .testTarget(
            name: "HeadraceCommandsTests",
            dependencies: ["HeadraceCommands", "HeadraceTesting", inMemoryLogging]
        ),

        .target(name: "HeadraceFlux", dependencies: ["HeadraceCore", logging]),
        // A program that dispatches at the top level of its main.swift.
        .executableTarget(
            name: "TopLevelSubject",
            dependencies: ["HeadraceCore", "HeadraceFlux"],
            path: "Tests/TopLevelSubject"
        ),
        .testTarget(
            name: "HeadraceFluxTests",
            dependencies: [
                "HeadraceCore", "HeadraceFlux", "HeadraceTesting", "TopLevelSubject", inMemoryLogging, logging,
            ]
        ),

        .target(name: "HeadraceStations", dependencies: ["HeadraceCore", "HeadraceJSON", deque]),
        .testTarget(
            name: "HeadraceStationsTests",
            dependencies: ["HeadraceCore", "HeadraceStations", "HeadraceTesting"]
        ),

        // Connects commands and stations, so that neither module imports the other.
        .target(name: "HeadraceCommandEffects", dependencies: ["HeadraceCommands", "HeadraceStations"]),
        .testTarget(
            name: "HeadraceCommandEffectsTests",
            dependencies: [
                "HeadraceCommandEffects", "HeadraceCommands", "HeadraceCore", "HeadraceResolution", "HeadraceStations",
                "HeadraceTesting",
            ]
        ),

        .target(name: "HeadraceServices", dependencies: ["HeadraceCore", logging, serviceLifecycle]),
        .testTarget(
            name: "HeadraceServicesTests",
            dependencies: [
                "HeadraceCore", "HeadraceServices", "HeadraceTesting", inMemoryLogging, logging, serviceLifecycle,
            ]
        ),

        // The contract of a store, for authors of stores, with a store in memory.
        .target(name: "HeadraceStorage", dependencies: ["HeadraceCore", "HeadraceJSON"]),

        .target(
            name: "HeadraceDomain",
            dependencies: ["HeadraceCore", "HeadraceJSON", "HeadraceResolution", "HeadraceStorage", logging]
        ),
        // Delivers stored events, and prevents that a command takes effect twice.
        .target(
            name: "HeadraceRelay",
            dependencies: [
                "HeadraceCore", "HeadraceDomain", "HeadraceResolution", "HeadraceStorage", coreMetrics, deque, logging,
                serviceLifecycle,
            ]
        ),
        // What a relay carries out: processes, recurring schedules, and commands; the registration of a domain.
        .target(
            name: "HeadraceProcesses",
            dependencies: [
                "HeadraceCommands", "HeadraceCore", "HeadraceDomain", "HeadraceRelay", "HeadraceResolution",
                "HeadraceStorage", "HeadraceWorkflows", logging,
            ]
        ),
        // Straight-line code whose steps are stored.
        .target(
            name: "HeadraceWorkflows",
            dependencies: [
                "HeadraceCommands", "HeadraceCore", "HeadraceDomain", "HeadraceRelay", "HeadraceResolution",
                "HeadraceStorage", logging,
            ]
        ),
        // Rows that are computed from the log of events.
        .target(
            name: "HeadraceProjections",
            dependencies: [
                "HeadraceCore", "HeadraceDomain", "HeadraceRelay", "HeadraceResolution", "HeadraceStorage", coreMetrics,
                logging, serviceLifecycle,
            ]
        ),
        // Entities, events, and a store that the tests below share.
        .target(
            name: "DomainTestSupport",
            dependencies: ["HeadraceDomain", "HeadraceResolution", "HeadraceStorage", "HeadraceTesting"],
            path: "Tests/DomainTestSupport"
        ),
        .testTarget(
            name: "HeadraceStorageTests", dependencies: features + ["HeadraceStoreContract", "HeadraceTesting"]),
        .testTarget(
            name: "HeadraceDomainTests",
            dependencies: [
                "DomainTestSupport", "HeadraceCore", "HeadraceDomain", "HeadraceResolution", "HeadraceStorage",
                "HeadraceTesting", inMemoryLogging, inMemoryTracing, tracing,
            ],
            exclude: ["Golden"]
        ),
        .testTarget(
            name: "HeadraceRelayTests",
            dependencies: [
                "DomainTestSupport", "HeadraceCore", "HeadraceDomain", "HeadraceProcesses", "HeadraceRelay",
                "HeadraceResolution", "HeadraceStorage", "HeadraceTesting", inMemoryLogging, inMemoryTracing,
                metricsTestKit, serviceLifecycle, tracing,
            ]
        ),
        .testTarget(name: "HeadraceProcessesTests", dependencies: features + ["Headrace", "HeadraceTesting"]),
        .testTarget(name: "HeadraceWorkflowsTests", dependencies: features + ["Headrace", "HeadraceTesting"]),
        .testTarget(name: "HeadraceProjectionsTests", dependencies: features + ["HeadraceTesting", metricsTestKit]),

        // MARK: Drivers
        .target(
            name: "HeadraceSQLite",
            dependencies: [
                "HeadraceCore", "HeadraceDomain", "HeadraceStorage", grdb,
                product("GRDBSQLite", of: "GRDB.swift", for: "SQLite"),
            ]
        ),
        .executableTarget(
            name: "CrashSubject",
            dependencies: [
                "HeadraceClient", "HeadraceCommands", "HeadraceCore", "HeadraceDomain", "HeadracePostgres",
                "HeadraceProcesses", "HeadraceProjections", "HeadraceRelay", "HeadraceResolution", "HeadraceSQLite",
                "HeadraceStations", "HeadraceStorage", "HeadraceTesting", "HeadraceWorkflows", grdb, httpTypes,
            ],
            path: "Tests/CrashSubject"
        ),
        // A file system for SQLite that simulates power failures. Without the trait SQLite, it is empty.
        .target(
            name: "PowerFailureVFS",
            path: "Tests/PowerFailureVFS",
            cSettings: [
                .define("HEADRACE_SQLITE", .when(traits: ["SQLite"])),
                .enableWarning("all"),
                .enableWarning("extra"),
                .treatAllWarnings(as: .error),
            ],
            linkerSettings: [.linkedLibrary("sqlite3", .when(traits: ["SQLite"]))]
        ),
        .testTarget(
            name: "HeadraceSQLiteTests",
            dependencies: [
                "CrashSubject", "DomainTestSupport", "HeadraceCore", "HeadraceDomain", "HeadraceRelay",
                "HeadraceSQLite", "HeadraceStorage", "HeadraceStoreContract", "HeadraceTesting", "PowerFailureVFS",
                grdb,
            ],
            exclude: ["Golden"]
        ),

        // The client library of PostgreSQL, which only the trait needs.
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(
            name: "HeadracePostgres",
            dependencies: [
                "HeadraceCore", "HeadraceDomain", "HeadraceStorage",
                .target(name: "CLibPQ", condition: .when(traits: ["Postgres"])),
            ]
        ),
        .testTarget(
            name: "HeadracePostgresTests",
            dependencies: [
                "CrashSubject", "DomainTestSupport", "HeadraceCore", "HeadraceDomain", "HeadracePostgres",
                "HeadraceRelay", "HeadraceResolution", "HeadraceSQLite", "HeadraceStorage", "HeadraceStoreContract",
                "HeadraceTesting",
            ],
            exclude: ["Golden"]
        ),

        // MARK: Tools
        .macro(
            name: "HeadraceMacrosPlugin",
            dependencies: [
                "SwiftCompilerPlugin", "SwiftDiagnostics", "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros",
            ].map(swiftSyntax)
        ),
        .target(
            name: "HeadraceMacros",
            dependencies: [
                "HeadraceDomain", "HeadraceResolution",
                .target(name: "HeadraceMacrosPlugin", condition: .when(traits: ["Macros"])),
            ]
        ),
        .testTarget(
            name: "HeadraceMacrosTests",
            dependencies: [
                "HeadraceDomain", "HeadraceMacros",
                .target(name: "HeadraceMacrosPlugin", condition: .when(traits: ["Macros"])), "HeadraceStorage",
                swiftSyntax("SwiftSyntaxMacrosGenericTestSupport"), swiftSyntax("SwiftSyntaxMacroExpansion"),
            ]
        ),

        .target(
            name: "HeadraceInspector",
            dependencies: [
                "HeadraceCore", "HeadraceDomain", "HeadraceJSON", "HeadraceProcesses", "HeadraceProjections",
                "HeadraceRelay", "HeadraceResilience", "HeadraceResolution", "HeadraceServices", "HeadraceStations",
                "HeadraceStorage", "HeadraceWorkflows", deque, serviceLifecycle,
            ],
            resources: [.embedInCode("Page")]
        ),
        // A program for the tests in a browser.
        .executableTarget(
            name: "InspectorSubject",
            dependencies: features + ["HeadraceHummingbird", "HeadraceInspector"],
            path: "Tests/InspectorSubject"
        ),
        .testTarget(
            name: "HeadraceInspectorTests",
            dependencies: features + ["HeadraceInspector", "HeadraceTesting"],
            exclude: ["Golden"]
        ),

        // Sends messages to a server. Empty without the trait Client.
        .target(
            name: "HeadraceClient",
            dependencies: [
                "HeadraceCommands", "HeadraceCore", "HeadraceDomain", "HeadraceStorage", asyncHTTPClient, httpTypes,
            ] + nio(["NIOCore", "NIOHTTP1"], for: "AsyncHTTPClient")
        ),
        .testTarget(
            name: "HeadraceClientTests",
            dependencies: features + ["HeadraceClient", "HeadraceSimulation", "HeadraceTesting", httpTypes],
            exclude: ["Golden"]),

        // Empty without the trait Hummingbird.
        .target(
            name: "HeadraceHummingbird",
            dependencies: features + [
                "HeadraceClient", "HeadraceInspector", httpTypes, hummingbird, logging, nioHTTPTypes, serviceLifecycle,
                asyncAlgorithms, product("UnixSignals", of: "swift-service-lifecycle", for: "Hummingbird"),
            ] + nio(["NIOCore", "NIOHTTP1"], for: "Hummingbird")
        ),
        .testTarget(
            name: "HeadraceHummingbirdTests",
            dependencies: features + [
                "HeadraceClient", "HeadraceHummingbird", "HeadraceInspector", "HeadraceTesting", httpTypes, hummingbird,
                inMemoryLogging, inMemoryTracing, logging, nioHTTPTypes, serviceLifecycle, tracing,
            ] + nio(["NIOCore", "NIOEmbedded", "NIOPosix"], for: "Hummingbird")
        ),

        // Empty on platforms without SwiftUI.
        .target(name: "HeadraceSwiftUI", dependencies: ["HeadraceDomain", "HeadraceResolution", "HeadraceStations"]),

        // Without IssueReportingTestSupport, issues on Linux are printed, but fail no test.
        .target(
            name: "HeadraceTesting",
            dependencies: features + [
                "HeadraceFlux", .product(name: "CustomDump", package: "swift-custom-dump"),
                .product(name: "IssueReporting", package: "xctest-dynamic-overlay"),
                .product(name: "IssueReportingTestSupport", package: "xctest-dynamic-overlay"),
            ]
        ),
        // Notices when simulated code leaves the simulation. Without the trait, it is empty.
        .target(
            name: "CSimulationEscapes",
            cSettings: [
                .define("HEADRACE_SIMULATION", .when(traits: ["Simulations"])),
                .enableWarning("all"),
                .enableWarning("extra"),
                .treatAllWarnings(as: .error),
            ]
        ),
        // Runs a whole application on one thread, from a seed. Without the trait, it is empty.
        .target(
            name: "HeadraceSimulation",
            dependencies: features + [
                "CSimulationEscapes", "HeadraceTesting", logging,
                .product(name: "IssueReporting", package: "xctest-dynamic-overlay"),
            ]
        ),
        .testTarget(
            name: "HeadraceSimulationTests",
            dependencies: features + ["Headrace", "HeadraceSimulation", "HeadraceStoreContract", "HeadraceTesting"]
        ),
        // For authors of stores.
        .target(
            name: "HeadraceStoreContract",
            dependencies: [
                "HeadraceCore", "HeadraceDomain", "HeadraceProjections", "HeadraceRelay", "HeadraceResolution",
                "HeadraceStorage", "HeadraceTesting",
            ]
        ),
        // An application whose crashes the tests below check.
        .executableTarget(
            name: "ShopSubject",
            dependencies: ["Headrace", "HeadraceStorage", "HeadraceTesting"],
            path: "Tests/ShopSubject"
        ),
        .testTarget(
            name: "HeadraceTestingTests",
            dependencies: features + [
                "CrashSubject", "Headrace", "HeadraceStoreContract", "HeadraceTesting", "ShopSubject",
            ]
        ),

        // MARK: The tool for operators
        .executableTarget(name: "HeadraceToolProgram", dependencies: ["HeadraceTool", argumentParser]),
        .target(
            name: "HeadraceTool",
            dependencies: [
                "HeadraceCore", "HeadraceDomain", "HeadraceProcesses", "HeadraceRelay", "HeadraceResolution",
                "HeadraceStorage", "HeadraceWorkflows", argumentParser,
                .target(name: "HeadracePostgres", condition: .when(traits: ["Postgres"])),
                .target(name: "HeadraceSQLite", condition: .when(traits: ["SQLite"])),
            ]
        ),
        .testTarget(
            name: "HeadraceToolTests",
            dependencies: features + [
                "HeadraceTesting", "HeadraceTool", argumentParser,
                .target(name: "HeadraceSQLite", condition: .when(traits: ["SQLite"])),
            ]
        ),

        // MARK: The umbrella
        // Exports the names that an application needs.
        .target(
            name: "Headrace",
            dependencies: [
                "HeadraceCommandEffects", "HeadraceCommands", "HeadraceCore", "HeadraceDomain", "HeadraceJSON",
                "HeadraceProcesses", "HeadraceProjections", "HeadraceRelay", "HeadraceResilience", "HeadraceResolution",
                "HeadraceStations", "HeadraceStorage",
                .target(name: "HeadraceMacros", condition: .when(traits: ["Macros"])),
                .target(name: "HeadracePostgres", condition: .when(traits: ["Postgres"])),
                .target(name: "HeadraceSQLite", condition: .when(traits: ["SQLite"])),
            ]
        ),
        .testTarget(name: "HeadraceTests", dependencies: features + ["Headrace", "HeadraceFlux", "HeadraceTesting"]),
        // Compiles and runs the examples of the documentation.
        .testTarget(
            name: "DocumentationTests",
            dependencies: features + [
                "Headrace", "HeadraceClient", "HeadraceFlux", "HeadraceHummingbird", "HeadraceInspector",
                "HeadraceTesting", asyncAlgorithms, grdb, httpTypes, hummingbird, logging, serviceLifecycle,
            ],
            exclude: ["Golden"]
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
    target.swiftSettings = (target.swiftSettings ?? []) + strictSettings
}
