import { sentenceOf } from "@venue/postgres/DatabaseFault"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { expect, it } from "vitest"

const refused = (message: string, code: string) => {
  const cause = Object.assign(new Error(message), { code })
  return sentenceOf(new SqlError({ reason: new ConnectionError({ cause, message, operation: "execute" }) }))
}

it("the refusal to create roles names the missing right, and the way without it", () => {
  expect(refused("permission denied to create role", "42501")).toBe(
    "the owner of the tables cannot create the database roles (permission denied to create role): grant it CREATEROLE, or create the roles that `npm run database-roles -- --print` names as a superuser"
  )
})

it("the refusal of a table names the missing grant", () => {
  expect(refused("permission denied for table journal", "42501")).toContain(
    "lacks a right (permission denied for table"
  )
})
