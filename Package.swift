// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

/// Compiler settings of every target, clients' builds included (SwiftPM drops warnings as errors there).
let strictSettings: [SwiftSetting] = [
    // `any` is written out. SE-0335
    .enableUpcomingFeature("ExistentialAny"),
    // An import is not re-exported unless it says so. SE-0409
    .enableUpcomingFeature("InternalImportsByDefault"),
    // A member is visible only where its module is imported. SE-0444
    .enableUpcomingFeature("MemberImportVisibility"),
    // Async functions stay on their caller's actor. SE-0461
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    // A conformance of an isolated type is isolated like it. SE-0470
    .enableUpcomingFeature("InferIsolatedConformances"),
    // A weak capture may be immutable, hence Sendable. SE-0481
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    // What is unsafe says `unsafe`. SE-0458
    .strictMemorySafety(),
    // No warning survives. SE-0480
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "headrace",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Headrace", targets: ["Headrace"]),
        .library(name: "HeadraceCore", targets: ["HeadraceCore"]),
        .library(name: "HeadraceResolution", targets: ["HeadraceResolution"]),
        .library(name: "HeadraceCommands", targets: ["HeadraceCommands"]),
        .library(name: "HeadraceFlux", targets: ["HeadraceFlux"]),
        .library(name: "HeadraceCommandEffects", targets: ["HeadraceCommandEffects"]),
        .library(name: "HeadraceDomain", targets: ["HeadraceDomain"]),
        .library(name: "HeadraceInspector", targets: ["HeadraceInspector"]),
        .library(name: "HeadraceRelay", targets: ["HeadraceRelay"]),
        .library(name: "HeadraceServices", targets: ["HeadraceServices"]),
        .library(name: "HeadraceSQLite", targets: ["HeadraceSQLite"]),
        .library(name: "HeadraceStations", targets: ["HeadraceStations"]),
        .library(name: "HeadraceStorage", targets: ["HeadraceStorage"]),
        .library(name: "HeadraceStoreContract", targets: ["HeadraceStoreContract"]),
        .library(name: "HeadraceMacros", targets: ["HeadraceMacros"]),
        .library(name: "HeadraceSwiftUI", targets: ["HeadraceSwiftUI"]),
        .library(name: "HeadraceTesting", targets: ["HeadraceTesting"]),
    ],
    traits: [
        .trait(name: "Inspector", description: "A server of its own for the inspector. Brings FlyingFox."),
        .trait(name: "SQLite", description: "The embedded store on SQLite. Brings GRDB."),
        .trait(name: "Macros", description: "@Resolvable and @DomainEntity. Brings swift-syntax."),
        .trait(name: "Lifecycle", description: "The relay as a service. Brings swift-service-lifecycle."),
        .default(enabledTraits: ["SQLite", "Macros", "Lifecycle"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        // Both are compiled only with HeadraceTesting.
        .package(url: "https://github.com/pointfreeco/swift-custom-dump", from: "1.7.3"),
        .package(url: "https://github.com/pointfreeco/xctest-dynamic-overlay", from: "1.13.1"),
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
    ],
    targets: [
        // MARK: The kernel
        .target(
            name: "HeadraceCore",
            dependencies: [
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Instrumentation", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]
        ),
        .testTarget(
            name: "HeadraceCoreTests",
            dependencies: [
                "HeadraceCore",
                "HeadraceTesting",
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]
        ),

        // Encodes and decodes documents, events, and journals.
        .target(name: "HeadraceJSON"),
        .testTarget(name: "HeadraceJSONTests", dependencies: ["HeadraceJSON", "HeadraceTesting"]),

        // MARK: The faces
        .target(name: "HeadraceResolution", dependencies: ["HeadraceCore"]),
        .testTarget(name: "HeadraceResolutionTests", dependencies: ["HeadraceResolution", "HeadraceTesting"]),

        .target(
            name: "HeadraceCommands",
            dependencies: [
                "HeadraceCore",
                "HeadraceResolution",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "HeadraceCommandsTests",
            dependencies: [
                "HeadraceCommands",
                "HeadraceTesting",
                .product(name: "InMemoryLogging", package: "swift-log"),
            ]
        ),

        .target(
            name: "HeadraceFlux",
            dependencies: ["HeadraceCore", .product(name: "Logging", package: "swift-log")]
        ),
        // Dispatches at the top level of its main.swift.
        .executableTarget(
            name: "TopLevelSubject",
            dependencies: ["HeadraceCore", "HeadraceFlux"],
            path: "Tests/TopLevelSubject"
        ),
        .testTarget(
            name: "HeadraceFluxTests",
            dependencies: [
                "HeadraceCore",
                "HeadraceFlux",
                "HeadraceTesting",
                "TopLevelSubject",
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),

        .target(name: "HeadraceStations", dependencies: ["HeadraceCore", "HeadraceJSON"]),
        .testTarget(
            name: "HeadraceStationsTests",
            dependencies: ["HeadraceCore", "HeadraceStations", "HeadraceTesting"]
        ),

        // Where commands and stations meet, so that neither needs the other.
        .target(name: "HeadraceCommandEffects", dependencies: ["HeadraceCommands", "HeadraceStations"]),
        .testTarget(
            name: "HeadraceCommandEffectsTests",
            dependencies: [
                "HeadraceCommandEffects",
                "HeadraceCommands",
                "HeadraceCore",
                "HeadraceResolution",
                "HeadraceStations",
                "HeadraceTesting",
            ]
        ),

        .target(
            name: "HeadraceServices",
            dependencies: [
                "HeadraceCore",
                .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "ServiceLifecycle",
                    package: "swift-service-lifecycle",
                    condition: .when(traits: ["Lifecycle"])
                ),
            ]
        ),
        .testTarget(
            name: "HeadraceServicesTests",
            dependencies: [
                "HeadraceCore",
                "HeadraceServices",
                "HeadraceTesting",
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "ServiceLifecycle",
                    package: "swift-service-lifecycle",
                    condition: .when(traits: ["Lifecycle"])
                ),
            ]
        ),

        // What a store keeps, for authors of stores; with the store in memory.
        .target(name: "HeadraceStorage", dependencies: ["HeadraceCore", "HeadraceJSON"]),

        .target(
            name: "HeadraceDomain",
            dependencies: [
                "HeadraceCore",
                "HeadraceResolution",
                "HeadraceStorage",
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        // Delivers the events, and keeps commands from taking effect twice.
        .target(
            name: "HeadraceRelay",
            dependencies: [
                "HeadraceCore",
                "HeadraceDomain",
                "HeadraceResolution",
                "HeadraceStorage",
                .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "ServiceLifecycle",
                    package: "swift-service-lifecycle",
                    condition: .when(traits: ["Lifecycle"])
                ),
            ]
        ),
        // Entities, events and a store that the tests below share.
        .target(
            name: "DomainTestSupport",
            dependencies: ["HeadraceDomain", "HeadraceResolution", "HeadraceStorage"],
            path: "Tests/DomainTestSupport"
        ),
        .testTarget(
            name: "HeadraceStorageTests",
            dependencies: [
                "HeadraceCore", "HeadraceDomain", "HeadraceStorage", "HeadraceStoreContract", "HeadraceTesting",
            ]
        ),
        .testTarget(
            name: "HeadraceDomainTests",
            dependencies: [
                "DomainTestSupport",
                "HeadraceCore",
                "HeadraceDomain",
                "HeadraceResolution",
                "HeadraceStorage",
                "HeadraceTesting",
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            exclude: ["Golden"]
        ),
        .testTarget(
            name: "HeadraceRelayTests",
            dependencies: [
                "DomainTestSupport",
                "HeadraceCore",
                "HeadraceDomain",
                "HeadraceRelay",
                "HeadraceResolution",
                "HeadraceStorage",
                "HeadraceTesting",
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(
                    name: "ServiceLifecycle",
                    package: "swift-service-lifecycle",
                    condition: .when(traits: ["Lifecycle"])
                ),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]
        ),

        // MARK: Drivers
        .target(
            name: "HeadraceSQLite",
            dependencies: [
                "HeadraceCore",
                "HeadraceDomain",
                "HeadraceStorage",
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["SQLite"])),
            ]
        ),
        .executableTarget(
            name: "CrashSubject",
            dependencies: [
                "HeadraceCore",
                "HeadraceDomain",
                "HeadraceRelay",
                "HeadraceResolution",
                "HeadraceSQLite",
                "HeadraceStorage",
            ],
            path: "Tests/CrashSubject"
        ),
        // A file system of SQLite whose power can fail; without the trait it is empty.
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
                "CrashSubject",
                "HeadraceCore",
                "HeadraceDomain",
                "HeadraceRelay",
                "HeadraceSQLite",
                "HeadraceStorage",
                "HeadraceStoreContract",
                "HeadraceTesting",
                "PowerFailureVFS",
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["SQLite"])),
            ]
        ),

        // MARK: Tools
        .macro(
            name: "HeadraceMacrosPlugin",
            dependencies: [
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax", condition: .when(traits: ["Macros"])),
                .product(name: "SwiftDiagnostics", package: "swift-syntax", condition: .when(traits: ["Macros"])),
                .product(name: "SwiftSyntax", package: "swift-syntax", condition: .when(traits: ["Macros"])),
                .product(name: "SwiftSyntaxBuilder", package: "swift-syntax", condition: .when(traits: ["Macros"])),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax", condition: .when(traits: ["Macros"])),
            ]
        ),
        .target(
            name: "HeadraceMacros",
            dependencies: [
                "HeadraceDomain",
                "HeadraceResolution",
                .target(name: "HeadraceMacrosPlugin", condition: .when(traits: ["Macros"])),
            ]
        ),
        .testTarget(
            name: "HeadraceMacrosTests",
            dependencies: [
                "HeadraceMacros",
                .target(name: "HeadraceMacrosPlugin", condition: .when(traits: ["Macros"])),
                .product(
                    name: "SwiftSyntaxMacrosGenericTestSupport",
                    package: "swift-syntax",
                    condition: .when(traits: ["Macros"])
                ),
                .product(
                    name: "SwiftSyntaxMacroExpansion",
                    package: "swift-syntax",
                    condition: .when(traits: ["Macros"])
                ),
            ]
        ),

        // Without the trait it has no server, but all else: its routes can be mounted in one that is there.
        .target(
            name: "HeadraceInspector",
            dependencies: [
                "HeadraceCore",
                "HeadraceDomain",
                "HeadraceRelay",
                "HeadraceResolution",
                "HeadraceServices",
                "HeadraceStations",
                "HeadraceStorage",
                .product(name: "FlyingFox", package: "FlyingFox", condition: .when(traits: ["Inspector"])),
                .product(name: "FlyingSocks", package: "FlyingFox", condition: .when(traits: ["Inspector"])),
                .product(
                    name: "ServiceLifecycle",
                    package: "swift-service-lifecycle",
                    condition: .when(traits: ["Lifecycle"])
                ),
            ],
            resources: [
                .embedInCode("Page/icon.svg"),
                .embedInCode("Page/index.html"),
                .embedInCode("Page/inspector.css"),
                .embedInCode("Page/inspector.js"),
                .embedInCode("Page/flow.js"),
                .embedInCode("Page/panes.js"),
            ]
        ),
        // What a browser looks at.
        .executableTarget(
            name: "InspectorSubject",
            dependencies: [
                "HeadraceCommands",
                "HeadraceCore",
                "HeadraceDomain",
                "HeadraceInspector",
                "HeadraceRelay",
                "HeadraceResolution",
                "HeadraceServices",
                "HeadraceStations",
                "HeadraceStorage",
            ],
            path: "Tests/InspectorSubject"
        ),
        .testTarget(
            name: "HeadraceInspectorTests",
            dependencies: [
                "HeadraceCommands",
                "HeadraceCore",
                "HeadraceDomain",
                "HeadraceInspector",
                "HeadraceRelay",
                "HeadraceResolution",
                "HeadraceServices",
                "HeadraceStations",
                "HeadraceStorage",
                "HeadraceTesting",
                "InspectorSubject",
                .product(name: "FlyingFox", package: "FlyingFox", condition: .when(traits: ["Inspector"])),
                .product(name: "FlyingSocks", package: "FlyingFox", condition: .when(traits: ["Inspector"])),
                .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "ServiceLifecycle",
                    package: "swift-service-lifecycle",
                    condition: .when(traits: ["Lifecycle"])
                ),
            ]
        ),

        // Empty where there is no SwiftUI.
        .target(
            name: "HeadraceSwiftUI",
            dependencies: ["HeadraceDomain", "HeadraceResolution", "HeadraceStations"]
        ),

        // Without the support, what is reported on Linux is printed and fails no test.
        .target(
            name: "HeadraceTesting",
            dependencies: [
                "HeadraceCommands",
                "HeadraceCore",
                "HeadraceDomain",
                "HeadraceFlux",
                "HeadraceRelay",
                "HeadraceResolution",
                "HeadraceServices",
                "HeadraceStations",
                "HeadraceStorage",
                .product(name: "CustomDump", package: "swift-custom-dump"),
                .product(name: "IssueReporting", package: "xctest-dynamic-overlay"),
                .product(name: "IssueReportingTestSupport", package: "xctest-dynamic-overlay"),
            ]
        ),
        // For authors of stores.
        .target(
            name: "HeadraceStoreContract",
            dependencies: [
                "HeadraceCore",
                "HeadraceDomain",
                "HeadraceRelay",
                "HeadraceResolution",
                "HeadraceStorage",
                "HeadraceTesting",
            ]
        ),
        .testTarget(
            name: "HeadraceTestingTests",
            dependencies: [
                "HeadraceCommands",
                "HeadraceCore",
                "HeadraceDomain",
                "HeadraceRelay",
                "HeadraceResolution",
                "HeadraceServices",
                "HeadraceStations",
                "HeadraceStorage",
                "HeadraceStoreContract",
                "HeadraceTesting",
            ]
        ),

        // MARK: The umbrella
        .target(
            name: "Headrace",
            dependencies: [
                "HeadraceCommandEffects",
                "HeadraceCommands",
                "HeadraceCore",
                "HeadraceDomain",
                "HeadraceFlux",
                "HeadraceRelay",
                "HeadraceResolution",
                "HeadraceServices",
                "HeadraceStations",
                "HeadraceStorage",
                .target(name: "HeadraceInspector", condition: .when(traits: ["Inspector"])),
                .target(name: "HeadraceMacros", condition: .when(traits: ["Macros"])),
                .target(name: "HeadraceSQLite", condition: .when(traits: ["SQLite"])),
            ]
        ),
        .testTarget(name: "HeadraceTests", dependencies: ["Headrace", "HeadraceTesting"]),
        // The examples of the documentation, compiled and run.
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "Headrace",
                "HeadraceTesting",
                .product(name: "GRDB", package: "GRDB.swift", condition: .when(traits: ["SQLite"])),
                .product(name: "Logging", package: "swift-log"),
                .product(
                    name: "ServiceLifecycle",
                    package: "swift-service-lifecycle",
                    condition: .when(traits: ["Lifecycle"])
                ),
            ],
            exclude: ["Golden"]
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .plugin {
    target.swiftSettings = (target.swiftSettings ?? []) + strictSettings
}
