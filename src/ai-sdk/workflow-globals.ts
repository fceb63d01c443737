/** What `ai` takes from the platform, and workflows do not have. Those that Temporal's plugin for the AI SDK brings stay. */
import { fromByteArray, toByteArray } from 'base64-js';
import { Headers } from 'headers-polyfill';
import { TransformStream } from 'web-streams-polyfill';

const here: Record<string, unknown> = globalThis;
here['Headers'] ??= Headers;
here['TransformStream'] ??= TransformStream;
here['btoa'] ??= (text: string) => fromByteArray(Uint8Array.from(text, (one) => one.charCodeAt(0)));
here['atob'] ??= (base64: string) =>
  Array.from(toByteArray(base64), (byte) => String.fromCharCode(byte)).join('');
