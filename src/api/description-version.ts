/** The version that the API's machine-readable description carries (API specification, Versioning): all of this follows it. */
export const DESCRIPTION_VERSION = '1.0.0';
