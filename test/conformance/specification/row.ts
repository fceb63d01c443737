import { readFileSync } from 'node:fs';

/** One test: its file and its full title, as `vitest list` has it. `*` in a title stands for anything. */
export interface Proof {
  file: string;
  title: string;
}

/** A change of a file after which a statement is not true any more. `from` stands in the file once. */
export interface Mutant {
  file: string;
  from: string;
  to: string;
}

/** One statement of the API specification and the tests that prove it. */
export interface Row {
  says: string;
  proofs: readonly Proof[];
  /** `npm run row-mutants` makes this change, and one of the tests has to notice. */
  mutant: Mutant;
  /**
   * The parts of the contract that the row is about, such as `event task.created`. The script compares them with
   * the contract itself, so that neither can have what the other has not.
   */
  about?: readonly string[];
}

export interface Section {
  heading: string;
  /** Markdown between the heading and the table. */
  intro?: string;
  rows: readonly Row[];
}

/** That change of a file. */
export function change(file: string, from: string, to: string): Mutant {
  return { file, from, to };
}

/** What keeps a row's change from being made: `from` stands in the file once. */
export function wrongMutant({ says, mutant: { file, from } }: Row): string[] {
  const times = readFileSync(file, 'utf8').split(from).length - 1;
  return times === 1 ? [] : [`"${says}": ${JSON.stringify(from)} stands in ${file} ${times} times, not once`];
}

/** Whether a test's full name is the one that a proof names. */
export function matching(title: string): (fullName: string) => boolean {
  if (!title.includes('*')) return (fullName) => fullName === title;
  const parts = title.split('*').map((part) => part.replaceAll(/[$()+.?[\\\]^{|}]/g, '\\$&'));
  const pattern = new RegExp(`^${parts.join('.+')}$`, 's');
  return (fullName) => pattern.test(fullName);
}

/** Titles of one test file, made into proofs. */
export function testsOf(file: string): (...titles: string[]) => Proof[] {
  return (...titles) => titles.map((title) => ({ file, title }));
}

export const service = testsOf('test/conformance/service.test.ts');
export const agreement = testsOf('test/conformance/agreement.test.ts');
export const registry = testsOf('test/conformance/registry.test.ts');
export const modelRules = testsOf('test/conformance/model-rules.test.ts');
export const rendered = testsOf('test/conformance/rendered.test.ts');
export const record = testsOf('test/api/generation-record.test.ts');
export const balance = testsOf('test/api/credits.test.ts');
export const errorBody = testsOf('test/api/error-body.test.ts');
export const event = testsOf('test/api/webhook-event.test.ts');
export const assets = testsOf('test/api/output-assets.test.ts');
export const signature = testsOf('test/webhooks/signature/signature.test.ts');
export const receiver = testsOf('test/webhooks/receiver.test.ts');
export const receiverHttp = testsOf('test/webhooks/http/http.test.ts');
export const methods = testsOf('test/webhooks/http/methods.test.ts');
export const mediaApi = testsOf('test/api/client/media-api.test.ts');
export const accounts = testsOf('test/emulator/accounts/accounts.test.ts');
export const control = testsOf('test/emulator/control/control.test.ts');
export const dashboard = testsOf('test/emulator/dashboard/dashboard.test.ts');
export const faults = testsOf('test/emulator/faults/faults.test.ts');
export const files = testsOf('test/emulator/files/files.test.ts');
export const submitting = testsOf('test/emulator/api/submit.test.ts');
export const made = testsOf('test/emulator/api/outputs.test.ts');
export const guesses = testsOf('test/emulator/config/assumptions.test.ts');
export const webhooks = testsOf('test/emulator/webhooks/webhooks.test.ts');
export const payload = testsOf('test/emulator/webhooks/payload.test.ts');
export const deliveryLog = testsOf('test/emulator/webhooks/delivery-log.test.ts');
export const paths = testsOf('test/api/models/paths.test.ts');
export const inputFormats = testsOf('test/emulator/media/picture/input-formats.test.ts');
export const images = testsOf('test/emulator/media/picture/images.test.ts');
export const sizes = testsOf('test/emulator/media/dimensions.test.ts');
export const speech = testsOf('test/emulator/media/sound/speech.test.ts');
export const videos = testsOf('test/emulator/media/video/video.test.ts');
export const effects = testsOf('test/emulator/media/effects.test.ts');
