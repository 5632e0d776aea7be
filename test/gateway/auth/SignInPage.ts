/** Service name that appears in the sign-in messages of the tests. */
export const serviceName = "Example Venue"
/** URL of the sign-in page. Messages for this URL are valid in every test. */
export const signInUri = "https://app.venue.example/login"
