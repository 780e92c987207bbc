// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody but the gate fetches OpenCombine; with the compiler's default settings, as most
// clients have them.
let package = Package(
    name: "published-models",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "headrace", path: "../../.."),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    ],
    targets: [
        .testTarget(
            name: "PublishedModelsTests",
            dependencies: [
                .product(name: "Headrace", package: "headrace"),
                .product(name: "OpenCombine", package: "OpenCombine"),
            ]
        ),
        .testTarget(
            name: "SamplesTests",
            dependencies: [
                .product(name: "Headrace", package: "headrace"),
                .product(name: "OpenCombine", package: "OpenCombine"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
