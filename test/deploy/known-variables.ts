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
const OTHERS = [
  'LOG_LEVEL',
  'TEMPORAL_UI_URL',
  'NODE_ENV',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_SERVICE_NAME',
];

/** Every variable that one of this project's programs reads. */
export const KNOWN_VARIABLES: ReadonlySet<string> = new Set([
  ...VARIABLE_NAMES,
  ...EMULATOR_VARIABLES,
  ...TEMPORAL,
  ...OTHERS,
]);
