import { accounts, control, dashboard, type Section, service, webhooks } from './row.ts';

/** The developer dashboard's functions, and versioning. */
export const DASHBOARD: readonly Section[] = [
  {
    heading: 'Dashboard functions',
    rows: [
      {
        says: 'API keys: name, scope, value shown once, revocation, rotation',
        proofs: [
          ...dashboard(
            'the dashboard in a browser > shows a key’s value once; it works within its scope until the key is revoked',
          ),
          ...accounts('a key > is shown once, and its revocation takes effect with the next request'),
        ],
      },
      {
        says: 'Webhook endpoints: URL and test deliveries',
        proofs: dashboard(
          'the dashboard in a browser > creates an endpoint, tests it, shows what was sent and answered, and sends it again',
        ),
      },
      {
        says: 'Event filter, enablement, secret rotation',
        proofs: [
          ...dashboard(
            'the dashboard in a browser > filters, disables and enables an endpoint, and rotates its secret with an overlap',
          ),
          ...webhooks('after a rotation both secrets verify for a while, then the new one alone'),
        ],
      },
      {
        says: 'The latest delivery attempts, with payload and answer',
        proofs: [
          ...dashboard(
            'the dashboard in a browser > creates an endpoint, tests it, shows what was sent and answered, and sends it again',
          ),
          ...webhooks(
            'the 20 latest attempts of an endpoint are shown, and the deliveries that they belong to',
          ),
        ],
      },
      {
        says: 'Usage and credits',
        proofs: [
          ...dashboard(
            'the dashboard in a browser > tops up and sets both pools with their expiry, and limits the rate of submits',
          ),
          ...control('tasks are listed newest first and can be looked up by workflow, model and state'),
        ],
      },
    ],
  },
  {
    heading: 'Versioning',
    rows: [
      {
        says: 'The machine-readable description carries version 1.0.0, which the contract and the emulator follow',
        proofs: control('the version of the description that the emulator follows is told'),
      },
      { says: 'The path prefix `/api/v1`', proofs: service('requests > a path > is below /api/v1') },
      {
        says: 'Both generations of webhook headers are sent together',
        proofs: service(
          'events > a task that completes > tells so in signed events whose payload has every field',
        ),
      },
      {
        says: 'The field `error` is legacy, clients use `code`',
        proofs: service(
          'refusals > a limit > of credits refuses with INSUFFICIENT_CREDITS and its unprefixed legacy error',
        ),
      },
    ],
  },
];
