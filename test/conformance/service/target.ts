import { startEmulator } from '../../../emulator/src/server.ts';
import { WebhookReceiver } from '../../emulator/webhooks/webhook-receiver.ts';
import { Caller } from './caller.ts';
import { Control } from './control.ts';
import type { ConformanceSettings } from './environment.ts';
import { type Capability, type Implementation, readImplementation } from './implementation.ts';
import { NotHere } from './not-here.ts';
import { Spending } from './spending.ts';

/** A workspace of a test's own, and calls with its key. */
export interface Account {
  workspace: string;
  keyId: string;
  caller: Caller;
}

/** Tasks of `caller` tell their events to `receiver`. */
export interface Listening extends AsyncDisposable {
  caller: Caller;
  receiver: WebhookReceiver;
  secret: string;
  /** Of the emulator only. */
  workspace?: string;
  endpointId?: string;
}

const EXAMPLES = 'https://example.com/';

/** The service under test: an emulator in this process, or what `CONFORMANCE_URL` names. */
export class Target implements AsyncDisposable {
  readonly settings: ConformanceSettings;
  readonly caller: Caller;
  readonly #spending: Spending;
  readonly #control: Control | undefined;
  readonly #close: () => Promise<void>;
  readonly #implementation: Implementation;

  private constructor(
    settings: ConformanceSettings,
    service: { baseUrl: string; apiKey: string; controlUrl: string | undefined; close?: () => Promise<void> },
    implementation: Implementation = {},
  ) {
    this.settings = settings;
    this.#implementation = implementation;
    this.#control = service.controlUrl === undefined ? undefined : new Control(service.controlUrl);
    this.#spending = new Spending(
      this.free ? Number.POSITIVE_INFINITY : settings.mostCredits,
      settings.patience,
    );
    this.#close = service.close ?? (() => Promise.resolve());
    this.caller = this.#callerWith(service.apiKey, service.baseUrl);
  }

  static async open(settings: ConformanceSettings): Promise<Target> {
    if (settings.remote !== undefined)
      return new Target(settings, settings.remote, await readImplementation(settings.implementation));
    const emulator = await startEmulator({
      port: 0,
      media: 'tiny',
      durations: { queue: 15, run: 15 },
      webhooks: { retries: [20, 20, 20], timeout: 2000 },
      models: settings.overrides,
    });
    const { baseUrl, apiKey, controlUrl } = emulator;
    return new Target(settings, { baseUrl, apiKey, controlUrl, close: () => emulator.close() });
  }

  /** Nothing costs money, so everything may be tried. */
  get free(): boolean {
    return this.isEmulator || this.#implementation.costsNothing === true;
  }

  /** What is not shown is as our emulator has it. */
  get isEmulator(): boolean {
    return this.#control !== undefined;
  }

  /** @throws NotHere where the service says that it lacks it */
  needs(...capabilities: Capability[]): void {
    for (const capability of capabilities) {
      const why = this.#implementation.lacks?.[capability];
      if (why !== undefined)
        throw new NotHere(`${this.#implementation.name ?? 'it'} lacks ${capability}: ${why}`);
    }
  }

  /** Whether the service has it, as far as it says. */
  has(capability: Capability): boolean {
    return this.#implementation.lacks?.[capability] === undefined;
  }

  /** @throws NotHere for a service that cannot be told what to do */
  get control(): Control {
    if (this.#control !== undefined) return this.#control;
    throw new NotHere('only the emulator can be brought into this state (CONFORMANCE_CONTROL_URL)');
  }

  /** The URL to use in inputs instead of an example's. */
  readonly inputUrl = (example: string): string =>
    this.settings.files === undefined ? example : example.replace(EXAMPLES, this.settings.files);

  /**
   * A workspace of its own with a key; where none can be made and any will do, the one that there is, if nothing costs
   * money there.
   *
   * @throws NotHere otherwise
   */
  async account(wanted?: { credits?: object; rateLimit?: object }, key: object = {}): Promise<Account> {
    if (!this.isEmulator && this.free && wanted === undefined)
      return { workspace: '', keyId: '', caller: this.caller };
    const { credits = { permanent: 100_000 }, ...workspace } = wanted ?? {};
    const id = await this.control.workspace({ credits, ...workspace });
    const { id: keyId, value } = await this.control.key({ workspace: id, ...key });
    return { workspace: id, keyId, caller: this.#callerWith(value) };
  }

  /** Someone whose tasks' events can be received. @throws NotHere where no receiver was set up */
  async listen(endpoint: object = {}): Promise<Listening> {
    this.needs('webhooks');
    if (this.#control === undefined) return await this.#listenRemotely();
    const { workspace, caller } = await this.account();
    const receiver = await WebhookReceiver.start();
    const made = await this.control.endpoint({ workspace, url: receiver.url, ...endpoint });
    const close = async (): Promise<void> => {
      await this.control.do(`DELETE /endpoints/${made.id}`);
      await receiver[Symbol.asyncDispose]();
    };
    return {
      caller,
      receiver,
      secret: made.secret,
      workspace,
      endpointId: made.id,
      [Symbol.asyncDispose]: close,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }

  async #listenRemotely(): Promise<Listening> {
    const { webhook } = this.settings;
    if (webhook === undefined) {
      throw new NotHere(
        'no webhooks come in: CONFORMANCE_WEBHOOK_PORT and CONFORMANCE_WEBHOOK_SECRET say where',
      );
    }
    const receiver = await WebhookReceiver.start(webhook.port);
    const close = () => receiver[Symbol.asyncDispose]();
    const { caller } = this;
    return { caller, receiver, secret: webhook.secret, [Symbol.asyncDispose]: close };
  }

  #callerWith(apiKey: string, baseUrl = this.caller.baseUrl): Caller {
    const { overrides, patience } = this.settings;
    return new Caller({ baseUrl, apiKey, overrides, patience, spending: this.#spending });
  }
}
