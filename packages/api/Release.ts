/** The release that a process runs; `test/tidy/Rooms.test.ts` checks that root and packages have one version. */
import manifest from "./package.json" with { type: "json" }

/** Version of the running release, such as "0.1.0". It changes with every release, `Version.version` only with the interface. */
export const release: string = manifest.version
