// swift-tools-version: 6.2
import PackageDescription

// The ledger doesn't use the macros, so a release build doesn't compile swift-syntax.
let headrace = Target.Dependency.product(name: "Headrace", package: "headrace")

/// Returns modules of Headrace that are imported by name.
func modules(_ names: String...) -> [Target.Dependency] {
    names.map { .product(name: $0, package: "headrace") }
}

/// Returns modules of Headrace that only the server needs.
func serverModules(_ names: String...) -> [Target.Dependency] {
    names.map { product($0, of: "headrace") }
}

/// Returns a product that only the trait `trait` needs.
func product(_ name: String, of package: String, for trait: String = "Server") -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: [trait]))
}

let package = Package(
    name: "ledger",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "ledger", targets: ["ledger"]),
        .library(name: "LedgerApplication", targets: ["LedgerApplication"]),
        .library(name: "LedgerBooks", targets: ["LedgerBooks"]),
        .library(name: "LedgerJournal", targets: ["LedgerJournal"]),
        .library(name: "LedgerServer", targets: ["LedgerServer"]),
    ],
    traits: [
        .trait(
            name: "Postgres",
            description: "A ledger in a PostgreSQL database. Needs libpq.",
            enabledTraits: ["Server"]
        ),
        .trait(
            name: "Simulations",
            description:
                "Tests that run three servers from one seed. Needs interfaces of the runtime that are not stable yet."
        ),
        .trait(name: "Server", description: "The commands 'serve' and 'token'. A first build takes minutes longer."),
        .trait(
            name: "Webhooks",
            description: "Webhooks for posted transactions. A first build takes minutes longer.",
            enabledTraits: ["Server"]
        ),
        // Without the server, only the product 'ledger' compiles. Scripts/ledger builds it for all commands but 'serve' and
        // 'token'.
        .default(enabledTraits: ["Server"]),
    ],
    dependencies: [
        .package(
            name: "headrace",
            path: "../..",
            traits: [
                "SQLite",
                // In the gate, these tests are the last to compile the modules whose declarations are read.
                .trait(name: "AsyncHTTPClient", condition: .when(traits: ["Webhooks"])),
                .trait(name: "Hummingbird", condition: .when(traits: ["Server"])),
                .trait(name: "Postgres", condition: .when(traits: ["Postgres"])),
                .trait(name: "Simulations", condition: .when(traits: ["Simulations"])),
            ]
        ),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0", traits: []),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // MARK: Amounts and balancing
        .target(name: "LedgerBooks"),
        .testTarget(name: "LedgerBooksTests", dependencies: ["LedgerBooks", "LedgerTestSupport"]),

        // MARK: Plain-text journals
        .target(name: "LedgerJournal", dependencies: ["LedgerBooks"]),
        .testTarget(
            name: "LedgerJournalTests",
            dependencies: ["LedgerBooks", "LedgerJournal", "LedgerTestSupport"],
            resources: [.copy("Journals")]
        ),

        // MARK: The ledger, on Headrace
        .target(
            name: "LedgerApplication",
            dependencies: ["LedgerBooks", "LedgerJournal", headrace] + modules("HeadraceStorage")
        ),
        .testTarget(
            name: "LedgerApplicationTests",
            dependencies: [
                "LedgerApplication", "LedgerBooks", "LedgerJournal", "LedgerTestSupport", headrace,
            ] + modules("HeadraceStorage", "HeadraceTesting")
        ),

        // Without the trait Simulations, it is empty.
        .testTarget(
            name: "LedgerSimulationTests",
            dependencies: [
                "LedgerApplication", "LedgerBooks", "LedgerJournal", headrace,
                product("HeadraceSimulation", of: "headrace", for: "Simulations"),
                product("HeadraceTesting", of: "headrace", for: "Simulations"),
            ] + modules("HeadraceStorage")
        ),

        // MARK: The server
        .target(
            name: "LedgerServer",
            dependencies: [
                "LedgerApplication",
                "LedgerBooks",
                "LedgerJournal",
                headrace,
                product("AsyncHTTPClient", of: "async-http-client", for: "Webhooks"),
                product("HTTPTypes", of: "swift-http-types"),
                product("Hummingbird", of: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                product("NIOCore", of: "swift-nio"),
                product("NIOHTTP1", of: "swift-nio", for: "Webhooks"),
                product("ServiceLifecycle", of: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ]
                + serverModules(
                    "HeadraceFlux", "HeadraceHummingbird", "HeadraceInspector", "HeadraceServices", "HeadraceStations"),
            resources: [
                .embedInCode("Page/index.html"),
                .embedInCode("Page/page.css"),
                .embedInCode("Page/icon.svg"),
                .embedInCode("Page/accounts.js"),
                .embedInCode("Page/amounts.js"),
                .embedInCode("Page/api.js"),
                .embedInCode("Page/chart.js"),
                .embedInCode("Page/dom.js"),
                .embedInCode("Page/filter.js"),
                .embedInCode("Page/form.js"),
                .embedInCode("Page/imports.js"),
                .embedInCode("Page/overview.js"),
                .embedInCode("Page/page.js"),
                .embedInCode("Page/register.js"),
                .embedInCode("Page/retries.js"),
                .embedInCode("Page/reversal.js"),
                .embedInCode("Page/session.js"),
                .embedInCode("Page/stream.js"),
                .embedInCode("openapi.json"),
            ]
        ),

        .testTarget(
            name: "LedgerServerTests",
            dependencies: [
                "LedgerApplication",
                "LedgerBooks",
                "LedgerJournal",
                "LedgerServer",
                "LedgerTestSupport",
                headrace,
                product("HTTPTypes", of: "swift-http-types"),
                product("Hummingbird", of: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                product("NIOCore", of: "swift-nio"),
                product("NIOPosix", of: "swift-nio"),
                product("ServiceLifecycle", of: "swift-service-lifecycle"),
            ] + serverModules("HeadraceHummingbird", "HeadraceInspector")
                + modules("HeadraceRelay", "HeadraceStorage")
        ),

        // MARK: The program
        .executableTarget(
            name: "ledger",
            dependencies: [
                "LedgerApplication",
                "LedgerBooks",
                "LedgerJournal",
                .target(name: "LedgerServer", condition: .when(traits: ["Server"])),
                headrace,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                product("Configuration", of: "swift-configuration"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ] + modules("HeadraceStorage") + serverModules("HeadraceHummingbird", "HeadraceInspector"),
            resources: [.embedInCode("sample.journal")]
        ),
        .testTarget(
            name: "ledgerTests",
            dependencies: [
                "LedgerApplication",
                "LedgerBooks",
                "LedgerServer",
                "LedgerTestSupport",
                "ledger",
                headrace,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                product("Configuration", of: "swift-configuration"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
            ] + modules("HeadraceStorage", "HeadraceTesting")
        ),

        // MARK: Support for several test targets
        .target(name: "LedgerTestSupport", path: "Tests/LedgerTestSupport"),
    ],
    swiftLanguageModes: [.v6]
)

/// The settings of all targets.
///
/// Unsafe code without a mark and warnings are errors.
let strictSettings: [SwiftSetting] = [
    // SE-0335: existentials are written `any`.
    .enableUpcomingFeature("ExistentialAny"),
    // SE-0409: imports are internal by default.
    .enableUpcomingFeature("InternalImportsByDefault"),
    // SE-0444: members come only from modules that the file imports.
    .enableUpcomingFeature("MemberImportVisibility"),
    // SE-0461: nonisolated async functions run on the caller's actor.
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    // SE-0470: conformances are isolated like their type.
    .enableUpcomingFeature("InferIsolatedConformances"),
    // SE-0481: `weak let`.
    .enableUpcomingFeature("ImmutableWeakCaptures"),
    // SE-0458: unsafe constructs are marked.
    .strictMemorySafety(),
    // SE-0443: warnings are errors, except if the package is a dependency.
    .treatAllWarnings(as: .error),
]

for target in package.targets {
    target.swiftSettings = (target.swiftSettings ?? []) + strictSettings
}
