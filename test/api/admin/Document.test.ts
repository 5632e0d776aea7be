/** Tests of the operator interface's OpenAPI document: examples of every body and member, and units of numbers. */
import { AdminApi } from "@venue/api/admin/Api"
import { document } from "@venue/api/admin/Document"
import examples from "@venue/api/admin/Examples.json" with { type: "json" }
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { HttpApi, HttpApiSchema } from "effect/http-api"

type Json = Readonly<Record<string, unknown>>

const spec = document("http://venue.test")
const schemas = spec.components.schemas as unknown as Readonly<Record<string, Json>>
const errors = ["ErrorModel", "ErrorDetail"]

/** Request bodies and success bodies, with the operation as their name. */
const bodies: Array<readonly [name: string, identifier: string, schema: Schema.Codec<unknown, unknown>]> = []
HttpApi.reflect(AdminApi, {
  onGroup: () => {},
  onEndpoint: ({ endpoint }) => {
    const name = `${endpoint.method} ${endpoint.path}`
    const requests = [...endpoint.payload.values()].flatMap((payload) => payload.schemas)
    for (const answer of [...requests, ...endpoint.success]) {
      const body = HttpApiSchema.isWithHeaders(answer) ? answer.schema : answer
      if (HttpApiSchema.isNoContent(body.ast)) continue
      bodies.push([name, String(body.ast.annotations?.["identifier"]), body as Schema.Codec<unknown, unknown>])
    }
  }
})

describe("the description of the operator interface", () => {
  it("has an example of every body, which the schema accepts", () => {
    expect(bodies.length).toBeGreaterThan(100)
    for (const [name, identifier, schema] of bodies) {
      const example = (examples as Json)[identifier]
      expect([name, identifier, example === undefined]).toEqual([name, identifier, false])
      const exit = Schema.decodeUnknownExit(schema, { onExcessProperty: "error" })(example)
      expect([name, exit._tag, exit._tag === "Failure" ? String(exit.cause) : ""]).toEqual([name, "Success", ""])
    }
  })

  it("has an example of every schema and in it every member, except of problems", () => {
    const lacking = Object.entries(schemas)
      .filter(([name]) => !errors.includes(name))
      .flatMap(([name, { examples: given, properties }]) => {
        const [example] = (given ?? [{}]) as ReadonlyArray<Json>
        return Object.keys(properties as Json)
          .filter((member) => member !== "$schema" && !(member in example!))
          .map((member) => `${name}.${member}`)
      })
    expect(lacking).toEqual([])
    expect(Object.keys(examples).filter((name) => !(name in schemas))).toEqual([])
  })

  it("states the unit of every number that is not a count", () => {
    const silent = Object.entries(schemas).flatMap(([name, { properties }]) =>
      Object.entries(properties as Readonly<Record<string, Json>>)
        .filter(([, member]) => isFraction(member))
        .filter(([, { description }]) => !units.test(String(description)))
        .map(([member]) => `${name}.${member}`)
    )
    expect(silent).toEqual([])
  })
})

const units =
  /USD|base unit|fraction|seconds|leverage|multiple|asset of the rail|currency|notional divided by the margin|lot/i

const isFraction = (member: Json): boolean =>
  [member, ...((member["anyOf"] ?? []) as ReadonlyArray<Json>)].some(({ type }) => [type].flat().includes("number"))
