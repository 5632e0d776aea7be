import * as AuthError from "@venue/api/auth/AuthError"
import { expect, it } from "vitest"

it("X2: an error body contains the members that both families of client libraries read", () => {
  expect(AuthError.body("invalid_grant")).toEqual({
    code: 400,
    error_code: "invalid_grant",
    msg: "The authorization code or refresh token was not accepted; start a new authorization",
    error: "invalid_grant",
    error_description: "The authorization code or refresh token was not accepted; start a new authorization"
  })
  for (const refusal of AuthError.refusals) {
    const body = AuthError.body(refusal)
    expect(body.code).toBe(AuthError.statusOf(refusal))
    expect(body.msg).toBe(body.error_description)
  }
})

it("uses only characters that RFC 6749 allows in error descriptions", () => {
  for (const refusal of AuthError.refusals) {
    expect(AuthError.body(refusal).error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
  }
})

it("adds only an error id to the body of an internal error", () => {
  expect(AuthError.body("unexpected_failure", "an id")).toEqual({
    ...AuthError.body("unexpected_failure"),
    error_id: "an id"
  })
})

it("sends a Basic challenge for a refused client, a Bearer challenge for a refused token, and otherwise no challenge", () => {
  expect(AuthError.headersOf("invalid_client")).toEqual({ "www-authenticate": 'Basic realm="oauth"' })
  expect(AuthError.headersOf("token_refused")).toEqual({ "www-authenticate": 'Bearer error="invalid_token"' })
  expect(AuthError.headersOf("bearer_missing")).toEqual({ "www-authenticate": 'Bearer error="invalid_token"' })
  expect(AuthError.headersOf("bad_jwt")).toEqual({})
  expect(AuthError.headersOf("client_key_refused")).toEqual({})
})

it("uses the error codes and HTTP statuses of the API contract", () => {
  const codesOf = (refusal: AuthError.Refusal) => {
    const { code, error, error_code } = AuthError.body(refusal)
    return [code, error_code, error]
  }
  expect(codesOf("bad_json")).toEqual([400, "bad_json", "invalid_request"])
  expect(codesOf("validation_failed")).toEqual([400, "validation_failed", "invalid_request"])
  expect(codesOf("unsupported_grant_type")).toEqual([400, "unsupported_grant_type", "unsupported_grant_type"])
  expect(codesOf("client_key_refused")).toEqual([401, "no_authorization", "invalid_client"])
  expect(codesOf("bearer_missing")).toEqual([401, "no_authorization", "invalid_token"])
  expect(codesOf("bad_jwt")).toEqual([403, "bad_jwt", "invalid_token"])
  expect(codesOf("session_not_found")).toEqual([403, "session_not_found", "invalid_token"])
  expect(codesOf("user_not_found")).toEqual([403, "user_not_found", "access_denied"])
  expect(codesOf("user_banned")).toEqual([403, "user_banned", "access_denied"])
  expect(codesOf("web3_unsupported_chain")).toEqual([400, "web3_unsupported_chain", "invalid_request"])
  expect(codesOf("web3_provider_disabled")).toEqual([422, "web3_provider_disabled", "invalid_request"])
  expect(codesOf("invalid_grant")).toEqual([400, "invalid_grant", "invalid_grant"])
  expect(codesOf("captcha_failed")).toEqual([400, "captcha_failed", "invalid_request"])
  expect(codesOf("over_request_rate_limit")).toEqual([429, "over_request_rate_limit", "temporarily_unavailable"])
  expect(codesOf("refresh_token_not_found")).toEqual([400, "refresh_token_not_found", "invalid_grant"])
  expect(codesOf("refresh_token_already_used")).toEqual([400, "refresh_token_already_used", "invalid_grant"])
  expect(codesOf("session_expired")).toEqual([400, "session_expired", "invalid_grant"])
  expect(codesOf("session_ended")).toEqual([400, "session_not_found", "invalid_grant"])
  expect(codesOf("conflict")).toEqual([409, "conflict", "temporarily_unavailable"])
  expect(codesOf("insufficient_aal")).toEqual([403, "insufficient_aal", "access_denied"])
  expect(codesOf("unexpected_failure")).toEqual([500, "unexpected_failure", "server_error"])
})
