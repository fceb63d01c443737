/** Who asks, in which workspace. */
export interface Caller {
  apiKey: string;
  /** Sent with each request: what names the workspace where one key serves several. */
  headers?: Readonly<Record<string, string>> | undefined;
}
