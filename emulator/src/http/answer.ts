import type { ErrorBody } from '../../../src/api/error-body.ts';

/** An HTTP answer before it is written. */
export interface Answer {
  status: number;
  contentType: string;
  body: string | Uint8Array;
  headers?: Readonly<Record<string, string>>;
}

export function json(status: number, value: unknown, headers?: Readonly<Record<string, string>>): Answer {
  return {
    status,
    contentType: 'application/json',
    body: JSON.stringify(value),
    ...(headers === undefined ? {} : { headers }),
  };
}

/** An error with exactly the properties of the API specification's ErrorResponse. */
export function errorAnswer(
  status: number,
  body: ErrorBody,
  headers?: Readonly<Record<string, string>>,
): Answer {
  return json(status, body, headers);
}
