/** Name of the sign-in page that appears in test messages. */
export const serviceName = "Example Venue"
/** URL of the sign-in page. Messages for this URL are valid in every test. */
export const signInUri = "https://app.venue.example/login"
