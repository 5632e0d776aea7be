/** Texts of the page: what happened and what to do for each refusal, and the meaning of each scope. */

/** Refusal by the service, the wallet or this page; `code` is the reason. */
export class Refusal extends Error {
  constructor(code, waitSeconds = 0) {
    super(code)
    this.code = code
    this.waitSeconds = waitSeconds
  }
}

export const sentenceOf = (error) => {
  const { code, waitSeconds } = error instanceof Refusal ? error : new Refusal("unexpected_failure")
  if (waitSeconds > 0) return `Too many attempts. Try again in ${waitSeconds} seconds.`
  return sentences[code] ?? sentences.unexpected_failure
}

const signInAgain = "You are signed out. Sign in again."

const noRequest = "This request has expired, or belongs to another user. Go back to the application and start again."

const sentences = {
  wallet_declined: "You declined the request in your wallet. Nothing was signed.",
  wallet_waiting: "Your wallet already has a request open. Open the wallet and answer it.",
  wallet_without_account: "Your wallet returned no account. Unlock it, choose an account and try again.",
  wallet_failed: "Your wallet failed to answer. Unlock it and try again.",
  wallet_signature: "Your wallet returned a signature in an unsupported form. Contract wallets cannot sign in.",

  validation_failed: "The service could not read your wallet's response. Try again, or use another wallet.",
  bad_json: "The service could not read the request. Reload this page and try again.",
  invalid_grant:
    "The signed message was not accepted. A message is valid for ten minutes and works once; sign a new one.",
  web3_unsupported_chain: "This kind of wallet cannot sign in here. Use an Ethereum wallet.",
  web3_provider_disabled: "Signing in with a wallet is currently switched off.",
  no_authorization: "This page is not set up correctly: the service does not accept its key. Contact the operator.",
  captcha_failed: "The check that you are human has expired or was already used. Complete it again, then try again.",
  captcha_unavailable:
    "The check that you are human could not be loaded. Allow the script of its provider, and try again.",
  captcha_not_set_up:
    "The service requires a check that you are human, but this page is not set up for it. Contact the operator.",
  over_request_rate_limit: "Too many attempts. Wait a minute and try again.",
  user_banned: "This account is frozen. Contact the operator.",
  user_not_found: "This account no longer exists.",
  bad_jwt: signInAgain,
  session_not_found: signInAgain,

  mfa_verification_failed: "The code is wrong. Codes change every 30 seconds, and each works once.",
  mfa_challenge_expired: "That took too long. Enter the code that your authenticator shows now.",
  mfa_factor_not_found: "This authenticator was removed. Sign in again.",
  insufficient_aal: "This requires a code from your authenticator first. Sign in again.",

  reauthentication_needed: "The application requires a new sign-in.",

  not_found: noRequest,
  oauth_authorization_not_found: noRequest,
  authorization_decided: "This request was already answered. Go back to the application and start again.",
  redirect_refused: "The return address of the application is not a web address, so it was not opened.",

  conflict: "The service is busy. Try again.",
  unreachable: "The service cannot be reached. Check your connection and try again.",
  unexpected_failure: "Something went wrong. Try again in a moment."
}

export const scopeInWords = (scope) => scopes[scope] ?? scope

const scopes = {
  openid: "who you are: your user id",
  profile: "your name and picture, if you set any",
  email: "your e-mail address, if you gave one",
  phone: "your phone number, if you gave one",
  offline_access: "all of this while you are away, until you withdraw access"
}
