// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

// A separate package, because it needs libpq, and the trait of the store.
let package = Package(
    name: "headrace-postgres-benchmark",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "postgres-benchmark", targets: ["PostgresBenchmark"]),
        .executable(name: "workflow-benchmark", targets: ["WorkflowBenchmark"]),
    ],
    dependencies: [.package(name: "headrace", path: "../..", traits: ["Postgres"])],
    targets: [
        .systemLibrary(
            name: "CLibPQForFloor", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        // The floor is in C, as a program without any library above libpq.
        .target(
            name: "Floor",
            dependencies: ["CLibPQForFloor"],
            cSettings: [.enableWarning("all"), .enableWarning("extra"), .treatAllWarnings(as: .error)]
        ),
        .executableTarget(
            name: "PostgresBenchmark",
            dependencies: [
                "Floor",
                .product(name: "HeadraceDomain", package: "headrace"),
                .product(name: "HeadracePostgres", package: "headrace"),
                .product(name: "HeadraceRelay", package: "headrace"),
                .product(name: "HeadraceResolution", package: "headrace"),
                .product(name: "HeadraceStorage", package: "headrace"),
            ],
            swiftSettings: settings
        ),

        // The benchmark of the other package, on the other store.
        .target(name: "Measuring", swiftSettings: settings),
        .executableTarget(
            name: "WorkflowBenchmark",
            dependencies: [
                "Measuring",
                .product(name: "HeadraceCommands", package: "headrace"),
                .product(name: "HeadraceCore", package: "headrace"),
                .product(name: "HeadraceDomain", package: "headrace"),
                .product(name: "HeadracePostgres", package: "headrace"),
                .product(name: "HeadraceProcesses", package: "headrace"),
                .product(name: "HeadraceRelay", package: "headrace"),
                .product(name: "HeadraceResolution", package: "headrace"),
                .product(name: "HeadraceWorkflows", package: "headrace"),
            ],
            swiftSettings: settings + [.define("POSTGRES")]
        ),
    ],
    swiftLanguageModes: [.v6]
)
