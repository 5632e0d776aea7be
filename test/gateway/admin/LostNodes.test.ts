/** Tests of the dismissal of lost nodes. */
import * as AdminServer from "@venue/gateway/admin/AdminServer"
import { Audit } from "@venue/storage/access/Audit"
import { LostNodes, NodeServes } from "@venue/storage/nodes/LostNodes"
import { it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { expect } from "vitest"
import { adminToken, call, layer } from "../rest/RestClient.ts"

const reason = "its machine is gone"

it.layer(layer, { excludeTestServices: true })("lost nodes", (it) => {
  it.effect("lists a lost node until it is dismissed, records who did it, and refuses a node that serves", () =>
    Effect.gen(function* () {
      const lost = new Set(["runner-3"])
      const memory = yield* LostNodes
      const { url } = yield* AdminServer.open({ port: 0, token: () => Redacted.make(adminToken) }).pipe(
        Effect.provideService(LostNodes, {
          list: Effect.sync(() =>
            [...lost].map((name) => ({ name, kind: "runner", lastSeenAtMillis: 1_790_503_244_118 }) as const)
          ),
          dismiss: (name) => {
            if (name === "runner-1") return Effect.fail(new NodeServes({ name }))
            return lost.delete(name) ? Effect.void : memory.dismiss(name)
          }
        })
      )
      const authorization = `Bearer ${adminToken}`
      const dismiss = (name: string) =>
        call(`${url}/nodes/dismiss`, {
          method: "POST",
          headers: { authorization, "content-type": "application/json" },
          body: JSON.stringify({ name, reason })
        })
      const alarms = Effect.map(call(`${url}/alarms`, { headers: { authorization } }), ({ body }) =>
        body.data.filter(({ kind }: { readonly kind: string }) => kind === "NODE_LOST")
      )
      expect(yield* alarms).toEqual([
        {
          id: expect.stringMatching(/^alarm_/),
          kind: "NODE_LOST",
          symbol: null,
          since: "2026-09-27T10:00:44.118Z",
          node: "runner-3",
          reason: "The runner runner-3 has been silent since 2026-09-27T10:00:44.118Z and was not drained."
        }
      ])
      expect((yield* dismiss("runner-3")).status).toBe(204)
      expect(yield* alarms).toEqual([])
      const [again, serving] = [yield* dismiss("runner-3"), yield* dismiss("runner-1")]
      expect([again.status, again.body.detail]).toEqual([
        404,
        'No node "runner-3" exists; list the lost nodes with GET /alarms.'
      ])
      expect([serving.status, serving.body.type]).toEqual([409, expect.stringContaining("/node-serves")])
      const kept = yield* (yield* Audit).about("runner-3")
      expect(kept.map(({ action, facts }) => [action, facts])).toEqual([["node_dismissed", { reason }]])
    })
  )
})
