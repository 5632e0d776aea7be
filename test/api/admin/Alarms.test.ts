import { Alarm } from "@venue/api/admin/Alarms"
import { expect, it } from "vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"

it("the runbook has exactly one section for each kind of alarm", () => {
  const runbook = readFileSync(join(import.meta.dirname, "../../../docs/operate/runbook.md"), "utf8")
  const [, alarms = ""] = runbook.split("\n## Alarms\n")
  const sections = [...alarms.matchAll(/^### (\w+)$/gm)].map(([, kind]) => kind)
  expect(sections.toSorted()).toEqual([...Alarm.fields.kind.literals].toSorted())
})
