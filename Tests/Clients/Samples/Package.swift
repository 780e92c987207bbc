// swift-tools-version: 6.2
import PackageDescription

// The samples from the READMEs of the packages that Headrace unites, with the compiler's default settings. Every
// difference from them has a line in ComingFromAnotherPackage.md. Samples that need Combine are in PublishedModels, and
// samples that need SwiftUI or SwiftData are in Tests/ApplePlatforms.
//
// Two targets compile the handlers in Tests/HelperTests, to which each has a link: with the default settings, in which helpers
// are annotated, and with the upcoming feature that the documentation recommends.
let package = Package(
    name: "samples",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "headrace", path: "../../..")
    ],
    targets: [
        .target(name: "Shelf", dependencies: [.product(name: "Headrace", package: "headrace")]),
        .testTarget(
            name: "DefaultSettingsTests",
            dependencies: ["Shelf", .product(name: "Headrace", package: "headrace")]
        ),
        .testTarget(
            name: "UpcomingFeatureTests",
            dependencies: ["Shelf", .product(name: "Headrace", package: "headrace")],
            swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]
        ),

        .testTarget(
            name: "AsyncDispatcherTests",
            dependencies: [
                .product(name: "Headrace", package: "headrace"), .product(name: "HeadraceFlux", package: "headrace"),
            ]
        ),
        .testTarget(
            name: "CommandQueryDispatchTests",
            dependencies: [.product(name: "Headrace", package: "headrace")]
        ),
        .testTarget(
            name: "DomainDrivenDesignTests",
            dependencies: [.product(name: "Headrace", package: "headrace")]
        ),
        .testTarget(
            name: "DripperTests",
            dependencies: [
                .product(name: "Headrace", package: "headrace"),
                .product(name: "HeadraceStations", package: "headrace"),
            ]
        ),
        .testTarget(
            name: "TrellisTests",
            dependencies: [
                .product(name: "Headrace", package: "headrace"),
                .product(name: "HeadraceServices", package: "headrace"),
            ]
        ),
    ]
)
