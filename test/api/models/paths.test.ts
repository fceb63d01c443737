import { describe, expect, it } from 'vitest';
import { modelOverridesSchema } from '../../../src/api/models/override.ts';
import { MODELS } from '../../../src/api/models/registry.ts';

describe('the path of a model', () => {
  const takes = (path: string): boolean => modelOverridesSchema.safeParse({ 'image-l': { path } }).success;

  it('has one segment for the provider, one or more for the model, and a version after the last one of one model', () => {
    const paths = Object.values(MODELS).map(({ path }) => path);
    for (const path of paths) expect(path).toMatch(/^generation\/[^/]+\/[^/]+$/);
    expect(paths.filter((path) => path.includes(':'))).toEqual(['generation/darkroom/face-swap-c:1']);
  });

  it('can be configured with as many segments as the service has, and with a version', () => {
    const right = ['acme/painter', 'acme/painter/v2/fast', 'acme/painter:9f2c', 'acme/painter/v2:9f2c'];
    expect(right.map((path) => takes(`generation/${path}`))).toEqual(right.map(() => true));
    const wrong = ['acme', 'acme/', 'acme:1/painter', 'acme/painter:', '/acme/painter', 'acme/../painter'];
    expect(wrong.map((path) => takes(`generation/${path}`))).toEqual(wrong.map(() => false));
    expect(takes('acme/painter')).toBe(false);
  });
});
