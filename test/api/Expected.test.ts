/** Tests of the phrases that describe which values a schema accepts. */
import { NumberOrText, Uuid } from "@venue/api/Body"
import { expectedOf } from "@venue/api/Expected"
import { WholeNumber } from "@venue/api/Parameter"
import { CreateBuilderCodeRequestBody } from "@venue/api/rest/BuilderCode"
import { TransferRequestBody } from "@venue/api/rest/Transfer"
import { CurrencyName, NetworkName } from "@venue/api/treasury/Word"
import { WithdrawRequestBody } from "@venue/api/treasury/Withdraw"
import { Schema } from "effect"
import { expect, it } from "vitest"

it.each([
  [Schema.Finite.check(Schema.isGreaterThan(0)), "a number above 0"],
  [NumberOrText(Schema.Finite.check(Schema.isGreaterThan(0))), "a number above 0"],
  [TransferRequestBody.fields.amount, "a number above 0 and at most 1000000000, at most six decimals"],
  [WithdrawRequestBody.fields.amount, "a number above 0"],
  [WholeNumber({ minimum: 1, maximum: 1_000 }), "a whole number between 1 and 1000"],
  [Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)), "a whole number of at least 0"],
  [Schema.Finite.check(Schema.isLessThan(5)), "a number below 5"],
  [CreateBuilderCodeRequestBody.fields.builder_fee_share_bps, "a whole number between 0 and 5000"],
  [Schema.String, "a string"],
  [Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(64)), "a string of 1 to 64 characters"],
  [Schema.String.check(Schema.isMaxLength(64)), "a string of at most 64 characters"],
  [Uuid, "a UUID"],
  [Schema.Boolean, "true or false"],
  [Schema.Literals(["BUY", "SELL"]), "BUY or SELL"],
  [Schema.NullOr(Schema.String), "a string or null"],
  [Schema.Array(Schema.String).check(Schema.isMinLength(1)), "a list of at least 1 entry"],
  [Schema.Struct({ a: Schema.String }), "an object"],
  [NetworkName, "ARBITRUM_ONE or TRON"],
  [CurrencyName, "usd"]
])("describes in words which values are valid (schema %#)", (schema, words) => {
  expect(expectedOf(schema.ast)).toBe(words)
})
