/** Times as the database hands them out: whole Unix milliseconds, null for null. */
export const millis = (column: string): string => `round(extract(epoch from ${column}) * 1000)::float8`
