/** Rewrites numbers with exponents in JSON responses as plain decimals, as the sockets do. */
import { plainJson } from "@venue/domain/PlainNumber"
import { HttpBody, HttpServerResponse } from "effect/http"

export const withPlainNumbers = (
  answer: HttpServerResponse.HttpServerResponse
): HttpServerResponse.HttpServerResponse => {
  const { body } = answer
  if (body._tag !== "Uint8Array" || body.text === undefined || !isJson.test(body.contentType)) return answer
  const json = plainJson(body.text)
  return json === body.text ? answer : HttpServerResponse.setBody(answer, HttpBody.text(json, body.contentType))
}

const isJson = /^application\/(?:[a-z]+\+)?json/
