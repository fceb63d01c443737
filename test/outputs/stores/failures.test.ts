import { describe, expect, it } from 'vitest';
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
  it.each(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EIO', 'ESTALE', 'ETIMEDOUT', 'EHOSTDOWN', 'ENOTCONN'])(
    'may take it later: %s',
    (code) => {
      expect(folderFailure(coded(code), '/srv')).toMatchObject({ kind: 'delayed', isAway: true });
    },
  );

  it.each([
    ['EACCES', /writing is not permitted \[EACCES\]; give the worker's user/],
    ['EPERM', /writing is not permitted \[EPERM\]; give the worker's user/],
    ['EROFS', /read-only \[EROFS\]; mount it for writing/],
    ['ENOTDIR', /\[ENOTDIR\]; move that file away/],
    ['EEXIST', /\[EEXIST\]; move it away/],
    ['EISDIR', /\[EISDIR\]; move it away/],
    ['EFBIG', /\[EFBIG\]; raise the limit/],
    ['ENAMETOOLONG', /\[ENAMETOOLONG\]; choose a folder with a shorter path/],
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
    // A status counts only where S3 sends no name.
    [
      named('InvalidRequest', { $metadata: { httpStatusCode: 404 } }),
      /InvalidRequest: refused; look at the S3/,
    ],
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
