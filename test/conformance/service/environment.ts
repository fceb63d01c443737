import { z } from 'zod';
import type { ModelOverrides } from '../../../src/api/models/override.ts';
import { isModelId, MODEL_IDS, type ModelId } from '../../../src/api/models/registry.ts';
import { readConfigFile } from '../../../src/config/config-file.ts';

/** What the `CONFORMANCE_…` variables say. */
export interface ConformanceSettings {
  /** The service under test; undefined: an emulator in this process. */
  remote: { baseUrl: string; apiKey: string; controlUrl: string | undefined } | undefined;
  /** Credits after which nothing more is submitted. */
  mostCredits: number;
  /** Models that may be bought. */
  models: readonly ModelId[];
  overrides: ModelOverrides;
  /** Where the service says what it lacks: a URL or a file. */
  implementation: string | undefined;
  /** Where the files for inputs lie, ending in a slash; undefined: the examples' own URLs, which lead nowhere. */
  files: string | undefined;
  webhook: { port: number; secret: string } | undefined;
  /** Milliseconds that a task may take. */
  patience: number;
}

const httpUrl = z.url({ protocol: /^https?$/ });
const variables = z.object({
  CONFORMANCE_URL: httpUrl.transform((url) => url.replace(/\/+$/, '')).optional(),
  CONFORMANCE_API_KEY: z.string().optional(),
  /** An emulator's control API: all tests run, without a cap. */
  CONFORMANCE_CONTROL_URL: httpUrl.transform((url) => url.replace(/\/+$/, '')).optional(),
  CONFORMANCE_MAX_CREDITS: z.coerce.number().min(0).default(0),
  /** Ids of models to buy, comma-separated; absent: all. The first one's events are tested. */
  CONFORMANCE_MODELS: z
    .string()
    .transform((list) => list.split(',').map((id) => id.trim()))
    .pipe(z.array(z.string().refine(isModelId, `must be of ${MODEL_IDS.join(', ')}`)))
    .optional(),
  /** A file like `DARKROOM_CONFIG` with real paths and field names. */
  CONFORMANCE_CONFIG: z.string().optional(),
  /** URL or file: what the service lacks. */
  CONFORMANCE_IMPLEMENTATION: z.string().optional(),
  /** URL of a folder with `image.png`, `video.mp4`, `audio.mp3`, `voice.safetensors`. */
  CONFORMANCE_FILES: httpUrl.transform((url) => `${url.replace(/\/+$/, '')}/`).optional(),
  /** A local port to which an endpoint leads, and its secret. */
  CONFORMANCE_WEBHOOK_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
  CONFORMANCE_WEBHOOK_SECRET: z.string().optional(),
  /** Seconds for a task or an event (600). */
  CONFORMANCE_PATIENCE: z.coerce.number().positive().optional(),
});

/** @throws Error naming the variable that is wrong or missing */
export function readSettings(environment: NodeJS.ProcessEnv): ConformanceSettings {
  const given = Object.entries(environment).filter(([, value]) => value !== '');
  const parsed = variables.safeParse(Object.fromEntries(given));
  if (!parsed.success) throw new Error(z.prettifyError(parsed.error));
  const settings = parsed.data;
  const port = settings.CONFORMANCE_WEBHOOK_PORT;
  const secret = settings.CONFORMANCE_WEBHOOK_SECRET;
  if ((port === undefined) !== (secret === undefined)) {
    throw new Error('CONFORMANCE_WEBHOOK_PORT and CONFORMANCE_WEBHOOK_SECRET go together: set both or none');
  }
  const remote = remoteOf(settings);
  return {
    remote,
    mostCredits: settings.CONFORMANCE_MAX_CREDITS,
    models: settings.CONFORMANCE_MODELS ?? MODEL_IDS,
    overrides: readOverrides(settings.CONFORMANCE_CONFIG),
    implementation: settings.CONFORMANCE_IMPLEMENTATION,
    files: settings.CONFORMANCE_FILES,
    webhook: port === undefined || secret === undefined ? undefined : { port, secret },
    patience: (settings.CONFORMANCE_PATIENCE ?? (remote === undefined ? 20 : 600)) * 1000,
  };
}

function remoteOf(settings: z.infer<typeof variables>): ConformanceSettings['remote'] {
  const { CONFORMANCE_URL: baseUrl, CONFORMANCE_API_KEY: apiKey } = settings;
  if (baseUrl === undefined) return undefined;
  if (!baseUrl.endsWith('/api/v1')) throw new Error('CONFORMANCE_URL must end in /api/v1');
  if (apiKey === undefined) throw new Error('CONFORMANCE_API_KEY is missing: the key for CONFORMANCE_URL');
  return { baseUrl, apiKey, controlUrl: settings.CONFORMANCE_CONTROL_URL };
}

function readOverrides(path: string | undefined): ModelOverrides {
  if (path === undefined) return {};
  const { file, problems } = readConfigFile(path);
  if (problems.length === 0) return file.models;
  throw new Error(`CONFORMANCE_CONFIG: ${problems.map(({ wrong }) => wrong).join('; ')}`);
}
