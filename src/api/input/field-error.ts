/** One thing wrong with a request: where (`input.aspect_ratio`, `policy.deadline`), and what is allowed there. */
export interface FieldError {
  path: string;
  message: string;
}
