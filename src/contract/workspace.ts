/** The workspace of a request that names none; the one that the environment's variables describe. */
export const DEFAULT_WORKSPACE = 'default';
