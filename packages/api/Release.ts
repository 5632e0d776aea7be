/**
 * The release that a process runs; `test/tidy/Rooms.test.ts` checks that the root and all packages have the same
 * version.
 */
import manifest from "./package.json" with { type: "json" }

/**
 * Version of the running release, such as "0.1.0". It changes with every release, whereas `Version.version` changes
 * only with the interface.
 */
export const release: string = manifest.version
