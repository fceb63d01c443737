import { accounts, change, control, dashboard, deliveryLog, type Section, service, webhooks } from './row.ts';

/** The developer dashboard's functions, and versioning. */
export const DASHBOARD: readonly Section[] = [
  {
    heading: 'Dashboard functions',
    rows: [
      {
        says: 'API keys: name, scope, value shown once, revocation, rotation',
        mutant: change('emulator/src/accounts/accounts.ts', 'key.revokedAt ??= Date.now();', ''),
        proofs: [
          ...dashboard(
            'the dashboard in a browser > shows a key’s value once; it works within its scope until the key is revoked',
          ),
          ...accounts('a key > is shown once, and its revocation takes effect with the next request'),
        ],
      },
      {
        says: 'Webhook endpoints: URL and test deliveries',
        mutant: change('emulator/src/webhooks/endpoints.ts', 'url: url.data', "url: 'http://127.0.0.1:9/'"),
        proofs: [
          ...dashboard(
            'the dashboard in a browser > creates an endpoint, tests it, shows what was sent and answered, and sends it again',
          ),
          ...webhooks('a test delivery is signed like the others and says that it is one'),
        ],
      },
      {
        says: 'Event filter, enablement, secret rotation',
        mutant: change(
          'emulator/src/webhooks/endpoints.ts',
          'one.expiresAt ?? now + overlapMs',
          'one.expiresAt ?? now',
        ),
        proofs: [
          ...dashboard(
            'the dashboard in a browser > filters, disables and enables an endpoint, and rotates its secret with an overlap',
          ),
          ...webhooks('after a rotation both secrets verify for a while, then the new one alone'),
        ],
      },
      {
        says: 'The latest delivery attempts, with payload and answer',
        mutant: change(
          'emulator/src/webhooks/delivery-log.ts',
          'attempts.toSorted((a, b) => b.at - a.at)',
          'attempts.toSorted((a, b) => a.at - b.at)',
        ),
        proofs: [
          ...dashboard(
            'the dashboard in a browser > creates an endpoint, tests it, shows what was sent and answered, and sends it again',
          ),
          ...deliveryLog(
            'the latest attempts are shown with their deliveries, newest delivery first, each endpoint by itself',
          ),
        ],
      },
      {
        says: 'Usage and credits',
        mutant: change('emulator/src/control/find-tasks.ts', 'tasks.all().reverse()', 'tasks.all()'),
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
        says: 'Version 1.0.0 of the machine-readable description',
        mutant: change('src/api/description-version.ts', '1.0.0', '1.0.1'),
        proofs: control('the version of the description that the emulator follows is told'),
      },
      {
        says: 'The path prefix `/api/v1`',
        mutant: change('emulator/src/api/answer-api.ts', "'/api/v1'", "'/v1'"),
        proofs: service('requests > a path > is below /api/v1'),
      },
      {
        says: 'Both kinds of webhook headers are sent',
        mutant: change(
          'emulator/src/webhooks/send.ts',
          "        'x-webhook-signature': signed.legacy,\n",
          '',
        ),
        proofs: service(
          'events > a task that completes > tells so in signed events whose payload has every field',
        ),
      },
      {
        says: '`error` is legacy, clients use `code`',
        mutant: change(
          'emulator/src/api/refusals.ts',
          "...(code === 'INSUFFICIENT_CREDITS' ? { error: code } : {}),",
          "...(code === 'INSUFFICIENT_CREDITS' ? { error: withPrefix(code, family) } : {}),",
        ),
        proofs: service(
          'refusals > a limit > of credits refuses with INSUFFICIENT_CREDITS and its unprefixed legacy error',
        ),
      },
    ],
  },
];
