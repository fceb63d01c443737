import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as S3 from '@aws-sdk/client-s3';
import pLimit from 'p-limit';
import { uploadToBucket } from '../inputs/upload-to-bucket.ts';
import { MEMORY_LIMITS } from '../limits.ts';
import type { OutputLocation } from '../output-location.ts';
import { onFolder } from './folder-failure.ts';
import { beginsWith, belongsTo, type OutputStore, type StoredOutput } from './output-store.ts';
import { onBucket } from './s3-failure.ts';
import { writeHashed } from './write-hashed.ts';

const { partBytes, partsUnderWay } = MEMORY_LIMITS;
const small = pLimit(MEMORY_LIMITS.smallUploads);
const large = pLimit(MEMORY_LIMITS.largeUploads);
/** For a server that takes connections and says nothing (milliseconds). */
const CHECK_TIMEOUT = 15_000;
const SHA256 = /^[0-9a-f]{64}$/;

/**
 * Outputs as objects in an S3 bucket. Credentials, region and endpoint are the AWS SDK's own variables and profile
 * file; the SDK is loaded on first use.
 *
 * A file is first spooled to the temporary folder: an object's metadata is sent ahead of its bytes, and ours holds
 * the SHA-256; and what arrives torn or is no media never reaches the bucket. S3 shows an object only when it is
 * whole. A worker killed while it uploads may leave an unfinished multipart upload, which a lifecycle rule of the
 * bucket removes.
 */
export function createS3Store(location: Extract<OutputLocation, { kind: 's3' }>): OutputStore {
  const { bucket, prefix, pathStyle } = location;
  const nameOf = (key: string): string => (prefix === '' ? key : `${prefix}/${key}`);
  const uriOf = (key: string): string => `s3://${bucket}/${nameOf(key)}`;
  let loaded: Promise<{ sdk: typeof S3; client: S3.S3Client }> | undefined;
  const connect = () =>
    (loaded ??= import('@aws-sdk/client-s3').then((sdk) => ({
      sdk,
      client: new sdk.S3Client({ forcePathStyle: pathStyle }),
    })));

  const storedAs = async (name: string): Promise<StoredOutput | undefined> => {
    const { sdk, client } = await connect();
    const head = await client.send(new sdk.HeadObjectCommand({ Bucket: bucket, Key: name }));
    const sha256 = head.Metadata?.['sha256'] ?? '';
    const bytes = head.ContentLength ?? 0;
    // Without the digest it is not what we put there.
    if (!SHA256.test(sha256) || bytes === 0) return undefined;
    const key = prefix === '' ? name : name.slice(prefix.length + 1);
    return { key, stored: { uri: uriOf(key), bytes, sha256 } };
  };

  return {
    place: `the bucket ${bucket}`,

    async put(key, source, { contentType, unless }) {
      const temporary = tmpdir();
      const folder = await onFolder(temporary, () => mkdtemp(join(temporary, 'darkroom-output-')));
      try {
        const path = join(folder, 'file');
        const digest = await writeHashed(path, source);
        const there = await unless?.(digest);
        if (there !== undefined) return there;
        const upload = async (): Promise<void> => {
          const { client } = await connect();
          const { Upload } = await import('@aws-sdk/lib-storage');
          await new Upload({
            client,
            partSize: partBytes,
            queueSize: partsUnderWay,
            params: {
              Bucket: bucket,
              Key: nameOf(key),
              Body: createReadStream(path, { highWaterMark: 1 << 20 }),
              ContentType: contentType,
              Metadata: { sha256: digest.sha256 },
            },
          }).done();
        };
        const turns = digest.bytes > partBytes ? large : small;
        await turns(() => onBucket(bucket, upload));
        return { uri: uriOf(key), ...digest };
      } finally {
        await rm(folder, { recursive: true, force: true }).catch(() => undefined); // the system empties it
      }
    },

    find(base): Promise<StoredOutput | undefined> {
      return onBucket(bucket, async () => {
        const { sdk, client } = await connect();
        const listing = await client.send(
          new sdk.ListObjectsV2Command({ Bucket: bucket, Prefix: `${nameOf(base)}.` }),
        );
        const name = listing.Contents?.map((object) => object.Key ?? '').find((name) =>
          belongsTo(nameOf(base), name),
        );
        if (name === undefined) return undefined;
        return await storedAs(name);
      });
    },

    findSame(stem, { bytes, sha256 }) {
      return onBucket(bucket, async () => {
        const { sdk, client } = await connect();
        const listing = await client.send(
          new sdk.ListObjectsV2Command({ Bucket: bucket, Prefix: nameOf(stem) }),
        );
        for (const { Key: name = '', Size: size } of listing.Contents ?? []) {
          if (size !== bytes || !beginsWith(nameOf(stem), name)) continue;
          const found = await storedAs(name);
          if (found?.stored.sha256 === sha256) return found;
        }
        return undefined;
      });
    },

    list(folder) {
      return onBucket(bucket, async () => {
        const { sdk, client } = await connect();
        const inside = { Bucket: bucket, Prefix: `${nameOf(folder)}/`, Delimiter: '/' };
        const files: { key: string; storedAt: number }[] = [];
        let next: string | undefined;
        do {
          const page = await client.send(
            new sdk.ListObjectsV2Command({ ...inside, ContinuationToken: next }),
          );
          for (const { Key: name = '', LastModified: at } of page.Contents ?? [])
            files.push({
              key: prefix === '' ? name : name.slice(prefix.length + 1),
              storedAt: at?.getTime() ?? 0,
            });
          next = page.NextContinuationToken;
        } while (next !== undefined);
        return files;
      });
    },

    read(key, start, end) {
      return onBucket(bucket, async () => {
        const { sdk, client } = await connect();
        const range = `bytes=${start}-${end - 1}`;
        const answer = await client.send(
          new sdk.GetObjectCommand({ Bucket: bucket, Key: nameOf(key), Range: range }),
        );
        return (await answer.Body?.transformToByteArray()) ?? new Uint8Array();
      });
    },

    stat(key) {
      return onBucket(bucket, async () => {
        const { sdk, client } = await connect();
        try {
          const head = await client.send(new sdk.HeadObjectCommand({ Bucket: bucket, Key: nameOf(key) }));
          return { bytes: head.ContentLength ?? 0 };
        } catch (error) {
          if (error instanceof sdk.NotFound) return undefined;
          throw error;
        }
      });
    },

    uriOf,

    async upload(key, source, sha256) {
      const upload = async (): Promise<void> => {
        const { sdk, client } = await connect();
        await uploadToBucket({ sdk, client, bucket }, nameOf(key), source, sha256);
      };
      const turns = source.bytes > partBytes ? large : small;
      await turns(() => onBucket(bucket, upload));
    },

    async check() {
      await onBucket(bucket, async () => {
        const { sdk, client } = await connect();
        await client.send(new sdk.HeadBucketCommand({ Bucket: bucket }), {
          abortSignal: AbortSignal.timeout(CHECK_TIMEOUT),
        });
      });
    },
  };
}
