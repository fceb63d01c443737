import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/worker-config.ts';
import { complaints, file, MINIMAL } from './complaints.ts';

/** What is said of a worker's variables, besides what it has to be told. */
const said = (env: NodeJS.ProcessEnv): string[] => complaints({ ...MINIMAL, ...env });

describe("Temporal's settings", () => {
  const temporal = (env: NodeJS.ProcessEnv) => loadConfig({ ...MINIMAL, ...env }).temporal;

  test.each(['1', 'true'])('TLS is on with TEMPORAL_TLS=%s', (value) => {
    expect(temporal({ TEMPORAL_TLS: value }).tls).toBeTruthy();
  });

  test.each(['0', 'false', ''])('TLS is not on with TEMPORAL_TLS=%j', (value) => {
    expect(temporal({ TEMPORAL_TLS: value }).tls).toBeFalsy();
  });

  test.each(['[::1]:7233', '[fe80::1]', 'my_host.example', 'localhost:65535', 'localhost:1'])(
    'the address may be %s',
    (address) => expect(temporal({ TEMPORAL_ADDRESS: address }).address).toBe(address),
  );

  test('headers go along, also empty ones that remove one of the profile', () => {
    const path = file('[profile.default.grpc_meta]\nteam = "films"\nregion = "eu"');
    expect(
      temporal({ TEMPORAL_CONFIG_FILE: path, TEMPORAL_GRPC_META_X_CLASS: 'b 2', TEMPORAL_GRPC_META_TEAM: '' })
        .metadata,
    ).toEqual({ 'x-class': 'b 2', region: 'eu' });
    expect(said({ TEMPORAL_CONFIG_FILE: file('[profile.default.grpc_meta]\nteam = 5') })).toEqual([
      expect.stringMatching(/^TEMPORAL_GRPC_META_TEAM holds /),
    ]);
    expect(said({ TEMPORAL_GRPC_META_X_CLASS: 'ü' })).toEqual([
      'TEMPORAL_GRPC_META_X_CLASS holds a line break or another character that a header cannot carry; example: TEMPORAL_GRPC_META_TEAM=media',
    ]);
  });

  test('a profile file is read, and variables win over it', () => {
    const path = file('[profile.default]\naddress = "far:7233"\nnamespace = "media"');
    const from = { TEMPORAL_CONFIG_FILE: path };
    expect(temporal(from)).toEqual({ address: 'far:7233', namespace: 'media' });
    expect(temporal({ ...from, TEMPORAL_NAMESPACE: 'mine' })).toEqual({
      address: 'far:7233',
      namespace: 'mine',
    });
  });

  test('a profile file that cannot be used is told without what stands in it', () => {
    const path = file('[profile.default]\napi_key = sk-in-file');
    expect(said({ TEMPORAL_CONFIG_FILE: path })).toEqual([
      `TEMPORAL_CONFIG_FILE (${path}) cannot be used (no valid TOML at line 2, column 11); example: TEMPORAL_CONFIG_FILE=/etc/temporal/temporal.toml`,
    ]);
    expect(said({ TEMPORAL_CONFIG_FILE: '/no/such.toml' })).toContain(
      'TEMPORAL_CONFIG_FILE (/no/such.toml) does not exist; example: TEMPORAL_CONFIG_FILE=/etc/temporal/temporal.toml',
    );
    expect(said({ TEMPORAL_CONFIG_FILE: path, TEMPORAL_PROFILE: 'other' })).toEqual(
      said({ TEMPORAL_CONFIG_FILE: path }),
    );
    const profile = file('[profile.default]\nnamespace = "x"');
    expect(said({ TEMPORAL_CONFIG_FILE: profile, TEMPORAL_PROFILE: 'other' })).toEqual([
      'TEMPORAL_PROFILE is "other", which the Temporal profile file does not have; example: TEMPORAL_PROFILE=default',
    ]);
  });

  test('a certificate that cannot be read is told with the setting that names it', () => {
    const unreadable = '/no/such.pem';
    expect(said({ THEIRS: unreadable, TEMPORAL_TLS_SERVER_CA_CERT_PATH: unreadable })).toEqual([
      'TEMPORAL_TLS_SERVER_CA_CERT_PATH cannot be read (ENOENT); example: TEMPORAL_TLS_SERVER_CA_CERT_PATH=/etc/temporal/client.pem',
    ]);
    expect(said({ TEMPORAL_TLS_SERVER_NAME: 'far', TEMPORAL_TLS_SERVER_CA_CERT_PATH: unreadable })).toEqual([
      expect.stringMatching(/^TEMPORAL_TLS_SERVER_CA_CERT_PATH cannot be read/),
    ]);
    const path = file(`[profile.default.tls]\nserver_ca_cert_path = "${unreadable}"`);
    expect(said({ TEMPORAL_CONFIG_FILE: path })).toEqual([
      'the TLS part of the Temporal profile file cannot be read (ENOENT); example: TEMPORAL_TLS_CLIENT_CERT_PATH=/etc/temporal/client.pem',
    ]);
  });

  test('a profile file that lies where Temporal looks for it is told as that', () => {
    const folder = mkdtempSync(join(tmpdir(), 'darkroom-profile-'));
    mkdirSync(join(folder, 'temporalio'));
    const profile = '[profile.default]\napi_key = "k"\n[profile.default.tls]\ndisabled = true';
    writeFileSync(join(folder, 'temporalio', 'temporal.toml'), profile);
    const at = 'the Temporal profile file (temporal.toml)';
    expect(said({ XDG_CONFIG_HOME: folder })).toEqual([
      `api_key in ${at} is there, but TLS is switched off (tls.disabled in ${at}): everybody on the way could read the key; example: TEMPORAL_API_KEY=<the key alone>`,
    ]);
  });

  test('the key of a certificate may stand in the profile file', () => {
    const path = file('[profile.default]\nnamespace = "x"');
    expect(said({ TEMPORAL_CONFIG_FILE: path, TEMPORAL_TLS_CLIENT_CERT_DATA: 'pem' })).toEqual([]);
  });

  test('a key with TLS switched off is told with what switches it off', () => {
    expect(said({ TEMPORAL_API_KEY: 'k', TEMPORAL_TLS: 'false' })).toEqual([
      'TEMPORAL_API_KEY is there, but TLS is switched off (TEMPORAL_TLS=false): everybody on the way could read the key; example: TEMPORAL_API_KEY=<the key alone>',
    ]);
  });
});
