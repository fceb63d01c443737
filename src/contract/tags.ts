/** Short words of the caller's on a generation or a pipeline, for caps and costs: `{ "team": "film" }`. */
export type Tags = Record<string, string>;

export const MOST_TAGS = 8;

/** What a tag's key and its value may be. */
export const TAG = /^[A-Za-z0-9._:-]{1,64}$/;

/** The entry of a run's memo that holds its tags, where our client has started it: lists need no history then. */
export const TAGS_MEMO = 'tags';
