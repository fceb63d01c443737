import type { DiagLogger } from '@opentelemetry/api';
import type { BatchSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { formatDuration } from '../policy/duration.ts';

type Exporter = ConstructorParameters<typeof BatchSpanProcessor>[0];

/** 0 is `ExportResultCode.SUCCESS` of a package that is none of ours. */
const SUCCESS = 0;
/** Characters of what the packages say: stacks are long. */
const MOST_SAID = 300;

/** Whether the collector takes spans: told once when it stops to, and once when it is over. */
export class SpanTroubles {
  readonly #warn: (message: string) => void;
  #since: number | undefined;
  /** How often something was wrong. */
  #count = 0;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  /** What OpenTelemetry's packages say themselves, of a span that was refused among others, say. */
  readonly logger: DiagLogger = {
    error: (message) => this.#begin(message),
    warn: (message) => this.#begin(message),
    info: () => undefined,
    debug: () => undefined,
    verbose: () => undefined,
  };

  /** The same exporter, with an eye on how it ends. */
  watch<E extends Exporter>(exporter: E): E {
    const send = exporter.export.bind(exporter);
    exporter.export = (spans, done) => {
      const before = this.#count;
      send(spans, (result) => {
        const code: number = result.code;
        if (code !== SUCCESS) this.#begin(result.error?.message ?? 'the export failed');
        else if (this.#count === before) this.#end();
        done(result);
      });
    };
    return exporter;
  }

  #begin(reason: string): void {
    this.#count += 1;
    if (this.#since !== undefined) return;
    this.#since = Date.now();
    this.#warn(`spans cannot be sent to the collector: ${reason.slice(0, MOST_SAID)}`);
  }

  #end(): void {
    if (this.#since === undefined) return;
    const lasted = formatDuration(Date.now() - this.#since);
    this.#since = undefined;
    this.#warn(`over after ${lasted}: spans cannot be sent to the collector`);
  }
}
