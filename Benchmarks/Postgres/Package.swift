// swift-tools-version: 6.2
import PackageDescription

// A separate package, because it needs libpq, and the trait of the store.
let package = Package(
    name: "headrace-postgres-benchmark",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "postgres-benchmark", targets: ["PostgresBenchmark"])],
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
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
                .treatAllWarnings(as: .error),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
