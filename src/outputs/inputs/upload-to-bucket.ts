import type * as S3 from '@aws-sdk/client-s3';
import pLimit from 'p-limit';
import { MEMORY_LIMITS } from '../limits.ts';
import type { FileSource } from './file-source.ts';

const MIB = 1024 ** 2;
/** What S3 allows. */
const MOST_PARTS = 10_000;

interface Bucket {
  sdk: typeof S3;
  client: S3.S3Client;
  bucket: string;
}

/**
 * Uploads a file whose key says its content. The parts that an earlier try has uploaded, which was killed, are not
 * uploaded again; `@aws-sdk/lib-storage` begins anew. Parts of one key are the same bytes whoever cuts them, as long as
 * their size follows from the file's.
 *
 * @throws FileChanged, and what the AWS SDK throws
 */
export async function uploadToBucket(
  { sdk, client, bucket }: Bucket,
  name: string,
  source: FileSource,
  sha256: string,
): Promise<void> {
  const at = { Bucket: bucket, Key: name };
  const about = { ...at, ContentType: source.contentType, Metadata: { sha256 } };
  const partBytes = partSize(source.bytes);
  if (source.bytes <= partBytes) {
    await client.send(new sdk.PutObjectCommand({ ...about, Body: await source.read(0, source.bytes) }));
    return;
  }
  const begun = await begunUpload({ sdk, client, bucket }, name);
  const UploadId = begun ?? (await client.send(new sdk.CreateMultipartUploadCommand(about))).UploadId;
  const there = begun === undefined ? new Map<number, S3.Part>() : await partsOf(sdk, client, at, begun);
  const turns = pLimit(MEMORY_LIMITS.partsUnderWay);
  const count = Math.ceil(source.bytes / partBytes);
  const parts = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      turns(async (): Promise<S3.CompletedPart> => {
        const PartNumber = index + 1;
        const [start, end] = [index * partBytes, Math.min((index + 1) * partBytes, source.bytes)];
        const found = there.get(PartNumber);
        const part =
          found?.Size === end - start
            ? found
            : await client.send(
                new sdk.UploadPartCommand({
                  ...at,
                  UploadId,
                  PartNumber,
                  Body: await source.read(start, end),
                }),
              );
        return { PartNumber, ...sumsOf(part) };
      }),
    ),
  );
  await source.ensureSame();
  await client.send(
    new sdk.CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload: { Parts: parts } }),
  );
}

/** Follows from the file's size alone. */
function partSize(bytes: number): number {
  return Math.max(MEMORY_LIMITS.partBytes, Math.ceil(bytes / MOST_PARTS / MIB) * MIB);
}

/** S3 wants those back with which each part was uploaded. */
function sumsOf({ ETag, ChecksumCRC32 }: S3.Part | S3.UploadPartCommandOutput): S3.CompletedPart {
  return { ETag, ...(ChecksumCRC32 === undefined ? {} : { ChecksumCRC32 }) };
}

async function begunUpload({ sdk, client, bucket }: Bucket, name: string): Promise<string | undefined> {
  try {
    const { Uploads = [] } = await client.send(
      new sdk.ListMultipartUploadsCommand({ Bucket: bucket, Prefix: name }),
    );
    return Uploads.find(({ Key }) => Key === name)?.UploadId;
  } catch (error) {
    // Some servers say so where there is none.
    if (error instanceof sdk.S3ServiceException && error.name === 'NoSuchUpload') return undefined;
    throw error;
  }
}

async function partsOf(
  sdk: typeof S3,
  client: S3.S3Client,
  at: { Bucket: string; Key: string },
  UploadId: string,
): Promise<Map<number, S3.Part>> {
  const parts = new Map<number, S3.Part>();
  let PartNumberMarker: string | undefined;
  for (;;) {
    const page = await client.send(new sdk.ListPartsCommand({ ...at, UploadId, PartNumberMarker }));
    for (const part of page.Parts ?? []) parts.set(part.PartNumber ?? 0, part);
    // A last page may name a next one all the same.
    if (page.IsTruncated !== true || page.NextPartNumberMarker === undefined) return parts;
    PartNumberMarker = page.NextPartNumberMarker;
  }
}
