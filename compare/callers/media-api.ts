/** A task's record, as much as a caller looks at. */
export interface TaskRecord {
  id: string;
  status: 'IN_QUEUE' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'CANCELED';
  data: { images: { url: string }[] };
  message?: string;
}

/** One request to the media API, and its answer whatever that says. */
export async function send(path: string, body?: object): Promise<Response> {
  return await fetch(`${process.env['MEDIA_API_URL']}/${path}`, {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    headers: {
      authorization: `Bearer ${process.env['MEDIA_API_KEY']}`,
      'content-type': 'application/json',
    },
    signal: AbortSignal.timeout(60_000),
  });
}
