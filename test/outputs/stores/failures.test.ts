import { describe, expect, it } from 'vitest';
import { FileChanged } from '../../../src/outputs/inputs/file-source.ts';
import { folderFailure, hasErrorCode, onFolder } from '../../../src/outputs/stores/folder-failure.ts';
import { onBucket } from '../../../src/outputs/stores/s3-failure.ts';

const coded = (code: unknown): Error => Object.assign(new Error('write'), { code });
const named = (name: string, more: object = {}): Error =>
  Object.assign(new Error('refused'), { name, ...more });
/** An operation that ends with that, be it an error or not. */
const failing = (reason: unknown) => async (): Promise<never> => {
  throw reason;
};
const ofBucket = async (thrown: unknown): Promise<unknown> =>
  await onBucket('media', failing(thrown)).then(
    () => 'taken',
    (failure: unknown) => failure,
  );

describe('a folder that does not take a file', () => {
  it.each([
    ['ENOSPC', 'the disk is full [ENOSPC]; free some space there or choose a bigger disk'],
    ['EDQUOT', 'the disk quota is used up [EDQUOT]; free some space there or raise the quota'],
    ['EMFILE', 'too many files are open [EMFILE]; raise the limit (ulimit -n)'],
    ['ENFILE', 'too many files are open on this machine [ENFILE]; raise the limit of the system'],
    ['EIO', ''],
    ['ESTALE', ''],
    ['ETIMEDOUT', ''],
    ['EHOSTDOWN', ''],
    ['ENOTCONN', ''],
  ])('may take it later: %s', (code, what) => {
    const failure = folderFailure(coded(code), '/srv');
    expect(failure).toMatchObject({ kind: 'delayed', isAway: true });
    expect(failure.message).toContain(what || `the file system refused [${code}]; look at the disk`);
  });

  it.each([
    ['EACCES', /writing is not permitted \[EACCES\]; give the worker's user/],
    ['EPERM', /writing is not permitted \[EPERM\]; give the worker's user/],
    ['EROFS', /read-only \[EROFS\]; mount it for writing/],
    ['ENOTDIR', /a part of the path is a file \[ENOTDIR\]; move that file away/],
    ['EEXIST', /a file is in the place of a folder \[EEXIST\]; move it away/],
    ['EISDIR', /a folder is in the place of a file \[EISDIR\]; move it away/],
    ['EFBIG', /larger than the disk or a limit allows \[EFBIG\]; raise the limit/],
    ['ENAMETOOLONG', /the path gets too long \[ENAMETOOLONG\]; choose a folder with a shorter path/],
    ['EODD', /the file system refused \[EODD\]; look at the disk/],
  ])('has to be mended by a person: %s', (code, message) => {
    const failure = folderFailure(coded(code), '/srv');
    expect(failure).toMatchObject({ place: 'the folder /srv', isAway: false });
    expect(failure.message).toMatch(message);
  });

  it('is told of errors without a code, too, with what it was', async () => {
    const cause = new TypeError('odd');
    const told = expect.objectContaining({
      message: 'cannot use the folder /srv for outputs: the file system refused; look at the disk',
      cause,
    });
    await expect(onFolder('/srv', failing(cause))).rejects.toEqual(told);
    expect([coded(7), { code: 'EIO' }, coded('EIO')].map(hasErrorCode)).toEqual([false, false, true]);
  });
});

describe('a bucket that does not take a file', () => {
  it.each([
    named('SlowDown'),
    named('InternalError'),
    named('ServiceUnavailable'),
    named('RequestTimeout'),
    named('ThrottlingException'),
    named('TimeoutError'),
    named('AbortError'),
    coded('ECONNREFUSED'),
    coded('ECONNRESET'),
    coded('EPIPE'),
    coded('ENOTFOUND'),
    coded('EAI_AGAIN'),
    coded('EHOSTUNREACH'),
    coded('ENETUNREACH'),
    coded('ETIMEDOUT'),
    named('UnknownError', { $metadata: { httpStatusCode: 503 } }),
    named('429', { $metadata: {} }),
    new AggregateError([new Error('x'), coded('ECONNREFUSED')]),
  ])('may take it later: %s', async (error) => {
    expect(await ofBucket(error)).toMatchObject({ kind: 'delayed', isAway: true, place: 'the bucket media' });
  });

  it.each([
    ['ECONNREFUSED', 'nothing listens at the endpoint [ECONNREFUSED]; check AWS_ENDPOINT_URL_S3'],
    [
      'ENOTFOUND',
      "the endpoint's name cannot be resolved [ENOTFOUND]; check AWS_ENDPOINT_URL_S3 and AWS_REGION",
    ],
  ])('is not reached: %s', async (code, message) => {
    expect(String(await ofBucket(coded(code)))).toContain(message);
  });

  it('is not what a file is that has changed while it was uploaded', async () => {
    const changed = new FileChanged('x');
    expect(await ofBucket(changed)).toBe(changed);
  });

  it.each<[error: unknown, message: RegExp]>([
    [named('NoSuchBucket'), /there is no such bucket \[NoSuchBucket\]; create it/],
    [named('NotFound', { $metadata: { httpStatusCode: 404 } }), /there is no such bucket \[404\]; create it/],
    [
      named('Forbidden', { $metadata: { httpStatusCode: 403 } }),
      /access is denied \[403\]; the worker needs s3:/,
    ],
    [named('AccessDenied'), /access is denied \[AccessDenied\]; the worker needs s3:PutObject/],
    [named('Unknown', { $metadata: { httpStatusCode: 301 } }), /another region \[301\]; set AWS_REGION/],
    [named('PermanentRedirect'), /another region \[PermanentRedirect\]; set AWS_REGION/],
    [named('AuthorizationHeaderMalformed'), /another region .*; set AWS_REGION/],
    [named('InvalidAccessKeyId'), /not known .*; correct AWS_ACCESS_KEY_ID/],
    [named('SignatureDoesNotMatch'), /secret key is wrong .*; correct AWS_SECRET_ACCESS_KEY/],
    [named('ExpiredToken'), /has expired .*; renew the credentials/],
    [named('CredentialsProviderError'), /no credentials .*; set AWS_ACCESS_KEY_ID and/],
    [named('RequestTimeTooSkewed'), /clock is wrong .*; set the clock/],
    [named('418', { $metadata: { httpStatusCode: 403 } }), /access is denied \[403\]; the worker needs s3:/],
    [named('NotSlowDown'), /NotSlowDown: refused; look at the S3/],
    [named('SlowDowner'), /SlowDowner: refused; look at the S3/],
    // A status counts only where S3 sends no name.
    [
      named('InvalidRequest', { $metadata: { httpStatusCode: 404 } }),
      /InvalidRequest: refused; look at the S3/,
    ],
    [named('MyForbidden', { $metadata: { httpStatusCode: 403 } }), /MyForbidden: refused; look at the S3/],
    [named('NotFounder', { $metadata: { httpStatusCode: 404 } }), /NotFounder: refused; look at the S3/],
    [named('NotFound', { $metadata: null }), /NotFound: refused; look at the S3/],
    [named('NotFound', { $metadata: 'x' }), /NotFound: refused; look at the S3/],
    [new Error('Region is missing'), /Region is missing; set AWS_REGION \(for a server without regions/],
    ['text', /S3 refused; look at the S3 server/],
    [null, /S3 refused; look at the S3 server/],
  ])('has to be mended by a person: %s', async (error, message) => {
    const failure = await ofBucket(error);
    expect(failure).toMatchObject({ isAway: false, cause: error });
    expect(String(failure)).toMatch(message);
  });
});
