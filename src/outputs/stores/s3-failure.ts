import { FileChanged } from '../inputs/file-source.ts';
import { OutputStoreFailed } from '../output-errors.ts';

const ASK_FOR_RIGHTS = 'the worker needs s3:PutObject, s3:GetObject and s3:ListBucket there';

/** By the error's name (S3's code, or the SDK's), its Node code, or the status where S3 sends no body. */
const FAILURES: Readonly<Record<string, { what: string; fix: string }>> = {
  NoSuchBucket: { what: 'there is no such bucket', fix: 'create it or correct the name' },
  '404': { what: 'there is no such bucket', fix: 'create it or correct the name' },
  AccessDenied: { what: 'access is denied', fix: ASK_FOR_RIGHTS },
  '403': { what: 'access is denied', fix: ASK_FOR_RIGHTS },
  InvalidAccessKeyId: { what: 'the access key is not known', fix: 'correct AWS_ACCESS_KEY_ID' },
  SignatureDoesNotMatch: { what: 'the secret key is wrong', fix: 'correct AWS_SECRET_ACCESS_KEY' },
  ExpiredToken: { what: 'the session token has expired', fix: 'renew the credentials' },
  CredentialsProviderError: {
    what: 'there are no credentials',
    fix: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE',
  },
  PermanentRedirect: { what: 'the bucket is in another region', fix: 'set AWS_REGION to its region' },
  '301': { what: 'the bucket is in another region', fix: 'set AWS_REGION to its region' },
  AuthorizationHeaderMalformed: {
    what: 'the bucket is in another region',
    fix: 'set AWS_REGION to its region',
  },
  RequestTimeTooSkewed: { what: "this machine's clock is wrong", fix: 'set the clock' },
  ECONNREFUSED: { what: 'nothing listens at the endpoint', fix: 'check AWS_ENDPOINT_URL_S3' },
  ENOTFOUND: {
    what: "the endpoint's name cannot be resolved",
    fix: 'check AWS_ENDPOINT_URL_S3 and AWS_REGION (a server without bucket names in DNS needs DARKROOM_S3_PATH_STYLE=true)',
  },
};

/** What says that nothing answers, or that S3 is not well: names, Node's codes, and statuses. */
const AWAY =
  /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|TimeoutError|AbortError|InternalError|ServiceUnavailable|SlowDown|RequestTimeout|Throttling\w*|429|5\d\d)$/;

/** The names that the SDK gives to answers without a body, like every one to HEAD. */
const UNTOLD = /^(?:Unknown.*|NotFound|Forbidden|\d+)$/;

/** Does one exchange with S3; what it throws becomes an OutputStoreFailed that names the bucket and the fix. */
export async function onBucket<T>(bucket: string, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (error instanceof FileChanged) throw error;
    throw s3Failure(error, bucket);
  }
}

/** What the AWS SDK throws, told with the bucket and the fix. */
function s3Failure(error: unknown, bucket: string): OutputStoreFailed {
  const found = marks(error);
  const isAway = found.some((mark) => AWAY.test(mark));
  const [known] = found.flatMap((mark) => {
    const failure = FAILURES[mark];
    return failure === undefined ? [] : [{ ...failure, mark }];
  });
  const place = `the bucket ${bucket}`;
  if (known !== undefined) {
    const { what, fix, mark } = known;
    return new OutputStoreFailed({ place, what: `${what} [${mark}]`, fix, isAway, cause: error });
  }
  const what = error instanceof Error ? `${error.name}: ${error.message}` : 'S3 refused';
  const fix = /region (?:is missing|not accepted)/i.test(what)
    ? 'set AWS_REGION (for a server without regions to us-east-1)'
    : 'look at the S3 server';
  return new OutputStoreFailed({ place, what, fix, isAway, cause: error });
}

/** Everything in an error by which it can be known, the most telling first. */
function marks(error: unknown): string[] {
  if (typeof error !== 'object' || error === null) return [];
  const name = 'name' in error ? String(error.name) : '';
  const found: unknown[] = [name, 'code' in error && error.code];
  if (
    UNTOLD.test(name) &&
    '$metadata' in error &&
    typeof error.$metadata === 'object' &&
    error.$metadata !== null &&
    'httpStatusCode' in error.$metadata
  ) {
    found.push(error.$metadata.httpStatusCode);
  }
  if (error instanceof AggregateError) found.push(...error.errors.flatMap(marks));
  return found.map(String);
}
