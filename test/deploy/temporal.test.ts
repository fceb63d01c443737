import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ROOT, readComposeFile } from './compose-file.ts';

const FOLDER = `${ROOT}deploy/temporal/`;
const dynamic = parse(readFileSync(`${FOLDER}dynamic-config.yaml`, 'utf8')) as Record<string, unknown>; // a YAML mapping

describe('the Temporal server of docker-compose.yml', () => {
  it('has fairness on, for the rate limits of submits are by fairness key', () => {
    expect(dynamic['matching.enableFairness']).toEqual([{ value: true }]);
  });

  it('ends the polls of a worker that stops, so that what they are handed is not lost with them', () => {
    expect(dynamic['frontend.enableCancelWorkerPollsOnShutdown']).toEqual([{ value: true }]);
  });

  it('answers more visibility queries than one receiver asks', () => {
    const [{ value } = { value: 0 }] = dynamic['frontend.namespaceRPS.visibility'] as { value: number }[]; // as the server wants it
    expect(value).toBeGreaterThan(10);
  });

  it('is told where its dynamic configuration lies', () => {
    const { environment = {}, volumes = [] } = readComposeFile().services['temporal'] ?? {};
    const target = volumes.find((volume) => volume.startsWith('./deploy/temporal:'))?.split(':')[1];
    expect(environment['DYNAMIC_CONFIG_FILE_PATH']).toBe(`${target}/dynamic-config.yaml`);
  });

  it.each(readdirSync(FOLDER).filter((name) => name.endsWith('.sh')))('%s is a shell script', (name) => {
    expect(() => execFileSync('sh', ['-n', FOLDER + name])).not.toThrow();
  });
});
