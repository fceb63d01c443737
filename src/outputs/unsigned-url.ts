/** Parameters by which storage services sign a URL anew each time it is given out. */
const SIGNED_BY = [
  // Amazon S3, Google Cloud Storage, and those that follow them
  /^x-(?:amz|goog|oss|tos|cos)-/,
  // Amazon CloudFront, and older signatures of S3, Google and Alibaba
  /^(?:signature|expires|policy|key-pair-id|awsaccesskeyid|googleaccessid|ossaccesskeyid|security-token)$/,
  // Tencent
  /^q-(?:sign-algorithm|ak|sign-time|key-time|header-list|url-param-list|signature)$/,
];
/** Those of Azure, whose short names mean something else where there is no `sig`. */
const SIGNED_BY_AZURE = /^(?:sig|s[evpr]|st|spr|ske|sks|skt|skv|skoid|sktid)$/;

/**
 * A URL without what only signs it: two of the same file are then the same. Any other parameter may be what tells one
 * file from another, and stays: where one changes, the bytes tell whether it is the same file. What cannot be read is left
 * as it is.
 */
export function unsignedUrl(text: string): string {
  const url = text.startsWith('data:') ? null : URL.parse(text);
  if (url === null) return text;
  const isAzure = url.searchParams.has('sig');
  for (const name of new Set(url.searchParams.keys())) {
    const plain = name.toLowerCase();
    if (SIGNED_BY.some((pattern) => pattern.test(plain)) || (isAzure && SIGNED_BY_AZURE.test(plain)))
      url.searchParams.delete(name);
  }
  url.hash = '';
  return url.href;
}
