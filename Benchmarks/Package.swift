// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "headrace-benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "commit-benchmark", targets: ["CommitBenchmark"]),
        .executable(name: "dispatch-benchmark", targets: ["DispatchBenchmark"]),
        .executable(name: "flux-benchmark", targets: ["FluxBenchmark"]),
        .executable(name: "import-benchmark", targets: ["ImportBenchmark"]),
        .executable(name: "inspector-benchmark", targets: ["InspectorBenchmark"]),
        .executable(name: "relay-benchmark", targets: ["RelayBenchmark"]),
        .executable(name: "unit-of-work-benchmark", targets: ["UnitOfWorkBenchmark"]),
        .executable(name: "served-floor", targets: ["ServedFloor"]),
        .executable(name: "station-benchmark", targets: ["StationBenchmark"]),
        .executable(name: "services-benchmark", targets: ["ServicesBenchmark"]),
        .executable(name: "workflow-benchmark", targets: ["WorkflowBenchmark"]),
    ],
    dependencies: [
        // These are the traits of the ledger. With different traits, the package manager finds no solution. If you build a single
        // product, the benchmarks of dispatch build neither GRDB nor swift-nio.
        .package(name: "headrace", path: "..", traits: ["Lifecycle", "SQLite"]),
        .package(name: "ledger", path: "../Examples/Ledger"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    ],
    targets: [
        // MARK: For every benchmark
        .target(name: "Measuring"),

        // MARK: Resolution and dispatch
        // The resolved types and handlers are a separate module, as in a program, so the compiler can't inline them into
        // the benchmark.
        .target(
            name: "DispatchSubjects",
            dependencies: [
                "Measuring",
                .product(name: "HeadraceCommands", package: "headrace"),
                .product(name: "HeadraceCore", package: "headrace"),
                .product(name: "HeadraceResolution", package: "headrace"),
            ]
        ),
        .executableTarget(
            name: "DispatchBenchmark",
            dependencies: [
                "DispatchSubjects",
                "Measuring",
                .product(name: "HeadraceCommands", package: "headrace"),
                .product(name: "HeadraceCore", package: "headrace"),
                .product(name: "HeadraceResilience", package: "headrace"),
                .product(name: "HeadraceResolution", package: "headrace"),
            ]
        ),

        // MARK: The flux dispatcher
        .target(
            name: "FluxSubjects",
            dependencies: [
                "Measuring",
                .product(name: "HeadraceCore", package: "headrace"),
                .product(name: "HeadraceFlux", package: "headrace"),
            ]
        ),
        .executableTarget(
            name: "FluxBenchmark",
            dependencies: [
                "DispatchSubjects",
                "FluxSubjects",
                "Measuring",
                .product(name: "HeadraceFlux", package: "headrace"),
            ]
        ),

        // MARK: Units of work
        .target(
            name: "UnitOfWorkSubjects",
            dependencies: [
                "Measuring",
                .product(name: "HeadraceDomain", package: "headrace"),
                .product(name: "HeadraceStorage", package: "headrace"),
                .product(name: "HeadraceResolution", package: "headrace"),
            ]
        ),
        .executableTarget(
            name: "UnitOfWorkBenchmark",
            dependencies: [
                "Measuring",
                "UnitOfWorkSubjects",
                .product(name: "HeadraceDomain", package: "headrace"),
                .product(name: "HeadraceStorage", package: "headrace"),
                .product(name: "HeadraceResolution", package: "headrace"),
            ]
        ),
        .executableTarget(
            name: "CommitBenchmark",
            dependencies: [
                "Measuring",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HeadraceDomain", package: "headrace"),
                .product(name: "HeadraceRelay", package: "headrace"),
                .product(name: "HeadraceStorage", package: "headrace"),
                .product(name: "HeadraceResolution", package: "headrace"),
                .product(name: "HeadraceSQLite", package: "headrace"),
            ]
        ),

        // MARK: Stations
        .target(
            name: "StationSubjects",
            dependencies: [
                "Measuring",
                .product(name: "HeadraceCore", package: "headrace"),
                .product(name: "HeadraceStations", package: "headrace"),
            ]
        ),
        .executableTarget(
            name: "StationBenchmark",
            dependencies: [
                "DispatchSubjects",
                "Measuring",
                "StationSubjects",
                .product(name: "HeadraceStations", package: "headrace"),
            ]
        ),

        // MARK: Service trees
        .target(
            name: "ServicesSubjects",
            dependencies: [
                "Measuring",
                .product(name: "HeadraceCore", package: "headrace"),
                .product(name: "HeadraceServices", package: "headrace"),
            ]
        ),
        .executableTarget(
            name: "ServicesBenchmark",
            dependencies: [
                "Measuring",
                "ServicesSubjects",
                .product(name: "HeadraceServices", package: "headrace"),
            ]
        ),

        // MARK: The inspector
        .executableTarget(
            name: "InspectorBenchmark",
            dependencies: [
                "DispatchSubjects",
                "Measuring",
                .product(name: "HeadraceCommands", package: "headrace"),
                .product(name: "HeadraceCore", package: "headrace"),
                .product(name: "HeadraceInspector", package: "headrace"),
                .product(name: "HeadraceResolution", package: "headrace"),
            ]
        ),

        // MARK: The relay
        .executableTarget(
            name: "RelayBenchmark",
            dependencies: [
                "Measuring",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HeadraceDomain", package: "headrace"),
                .product(name: "HeadraceRelay", package: "headrace"),
                .product(name: "HeadraceStorage", package: "headrace"),
                .product(name: "HeadraceResolution", package: "headrace"),
                .product(name: "HeadraceSQLite", package: "headrace"),
            ]
        ),

        // MARK: Workflows
        .executableTarget(
            name: "WorkflowBenchmark",
            dependencies: [
                "Measuring",
                .product(name: "HeadraceCommands", package: "headrace"),
                .product(name: "HeadraceCore", package: "headrace"),
                .product(name: "HeadraceDomain", package: "headrace"),
                .product(name: "HeadraceProcesses", package: "headrace"),
                .product(name: "HeadraceRelay", package: "headrace"),
                .product(name: "HeadraceResolution", package: "headrace"),
                .product(name: "HeadraceSQLite", package: "headrace"),
                .product(name: "HeadraceWorkflows", package: "headrace"),
            ]
        ),

        // MARK: The ledger, served
        .executableTarget(
            name: "ServedFloor",
            dependencies: [
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ]
        ),

        // MARK: The ledger's import
        .executableTarget(
            name: "ImportBenchmark",
            dependencies: [
                "Measuring",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Headrace", package: "headrace"),
                .product(name: "LedgerApplication", package: "ledger"),
                .product(name: "LedgerJournal", package: "ledger"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .treatAllWarnings(as: .error),
    ]
}
