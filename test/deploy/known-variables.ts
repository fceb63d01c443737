import { EMULATOR_VARIABLES } from '../../emulator/src/config/environment.ts';
import { VARIABLE_NAMES } from '../../src/config/variables.ts';

/** Of Temporal's environment configuration, which is the SDK's: those that the deployment files have a use for. */
const TEMPORAL = [
  'TEMPORAL_ADDRESS',
  'TEMPORAL_NAMESPACE',
  'TEMPORAL_API_KEY',
  'TEMPORAL_TLS',
  'TEMPORAL_DEPLOYMENT_NAME',
  'TEMPORAL_WORKER_BUILD_ID',
];

/** Read where they are used: by the log, by the starter's links, and by Node and its packages. */
const OTHERS = ['LOG_LEVEL', 'TEMPORAL_UI_URL', 'NODE_ENV'];

/** Those of OpenTelemetry that the deployment files hand on. */
export const TRACES = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TRACES_HEADERS',
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_EXPORTER_OTLP_COMPRESSION',
  'OTEL_EXPORTER_OTLP_TIMEOUT',
  'OTEL_SERVICE_NAME',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_TRACES_EXPORTER',
  'OTEL_TRACES_SAMPLER',
  'OTEL_TRACES_SAMPLER_ARG',
  'OTEL_SDK_DISABLED',
];

/** Every variable that one of this project's programs reads. */
export const KNOWN_VARIABLES: ReadonlySet<string> = new Set([
  ...VARIABLE_NAMES,
  ...EMULATOR_VARIABLES,
  ...TEMPORAL,
  ...OTHERS,
  ...TRACES,
]);
