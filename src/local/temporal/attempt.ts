/** How one way to get a Temporal binary went: the binary's path, or why there is none, for people to read. */
export type Attempt = { path: string } | { reason: string };
