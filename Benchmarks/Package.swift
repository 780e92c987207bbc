// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "headrace-benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "dispatch-benchmark", targets: ["DispatchBenchmark"])
    ],
    dependencies: [
        // Without traits neither GRDB nor swift-syntax is fetched or built.
        .package(name: "headrace", path: "..", traits: [])
    ],
    targets: [
        // MARK: For every benchmark
        .target(name: "Measuring"),

        // MARK: Resolution and dispatch
        // The types that are resolved and dispatched to are a module of their own, as in a program: what
        // measures them does not see through them.
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
                .product(name: "HeadraceResolution", package: "headrace"),
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
