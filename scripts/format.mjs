/** Formats every file. */
import { tool } from "./Checks.mjs"

process.exitCode = await tool("formatting", "oxfmt/bin/oxfmt", [])
