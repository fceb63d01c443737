import { describe, expect } from 'vitest';
import { MODELS } from '../../../src/api/models/registry.ts';
import { toWire } from '../../../src/api/wire.ts';
import { casesFor } from '../cases.ts';
import { accepted, refused } from './answers.ts';
import { type Check, needing } from './check.ts';

const FACE_SWAP = MODELS['face-swap-c'];
const FACES = { input_image: 'https://example.com/a.png', swap_image: 'https://example.com/b.png' };

/** How requests may be written: paths, and forms instead of JSON. */
export function requests(check: Check): void {
  describe('a path', () => {
    needing(check, 'balance')('is below /api/v1', async ({ caller }) => {
      expect(new URL(caller.baseUrl).pathname).toMatch(/\/api\/v1$/);
      expect((await caller.call('GET', 'credits')).status).toBe(200);
    });

    needing(check, 'versioned paths')(
      'of the versioned model ends in :<version_id>, also percent-encoded',
      async (target) => {
        const { caller } = await target.account();
        const path = target.settings.overrides[FACE_SWAP.id]?.path ?? FACE_SWAP.path;
        const versioned = path.replace(/:.*$/, '');
        accepted(await caller.post(`${versioned}:9f2c`, FACES));
        accepted(await caller.post(`${versioned}%3A9f2c`, FACES));
        for (const wrong of [versioned, `${versioned}:`]) {
          const { status } = await caller.post(wrong, FACES);
          expect([wrong, status]).toEqual([wrong, target.isEmulator ? 404 : expect.toSatisfy(isRefusal)]);
        }
      },
    );

    needing(check, 'unknown paths')('that names no model is refused', async (target) => {
      const { caller } = await target.account();
      const paths = ['generation/darkroom/image-z', 'generation/image-l', 'generation/', 'generations'];
      for (const path of paths) {
        const { status } = await caller.post(path, { prompt: 'x' });
        // Which status it is, is not shown.
        expect([path, status]).toEqual([path, target.isEmulator ? 404 : expect.toSatisfy(isRefusal)]);
      }
    });
  });

  describe('a form', () => {
    needing(check, 'forms')('of any model means the same as the JSON', async (target) => {
      const { caller } = await target.account();
      for (const model of Object.values(MODELS)) {
        const cases = casesFor(model, target.inputUrl).filter(({ name }) =>
          /^(minimal|example|maximal)/.test(name),
        );
        for (const { name, input } of cases) {
          const { path, body } = toWire(model, input, target.settings.overrides[model.id]);
          const asJson = accepted(await caller.post(path, body));
          const asForm = accepted(await caller.post(path, formOf(body)));
          expect([model.id, name, asForm.input]).toEqual([model.id, name, asJson.input]);
        }
      }
    });

    check('with a field that no model has is refused by its name, whatever the name', async (target) => {
      void target.control; // how a path is written is not shown
      const { caller } = await target.account();
      for (const name of ['no_such_field', 'constructor', '__proto__']) {
        const form = formOf({ prompt: 'x' });
        form.append(name, '1');
        const answer = await caller.post(MODELS['image-l'].path, form);
        const { errors = [] } = refused(answer, 'IMAGE_GENERATION_INVALID_INPUT', 422);
        expect(errors.map(({ path }) => path)).toEqual([name]);
      }
    });

    check('may hold files', async (target) => {
      void target.control; // where a file of a form is kept is not shown
      const { caller } = await target.account();
      const bytes = new Uint8Array([137, 80, 78, 71]);
      const form = formOf({});
      for (const name of ['input_image', 'swap_image']) {
        form.append(name, new File([bytes], `${name}.png`, { type: 'image/png' }));
      }
      const { input } = accepted(await caller.post(FACE_SWAP.path, form));
      const upload = await fetch(String(input['input_image']));
      expect([...new Uint8Array(await upload.arrayBuffer())]).toEqual([...bytes]);
      expect(upload.headers.get('content-type')).toBe('image/png');
    });
  });
}

function isRefusal(status: unknown): boolean {
  return typeof status === 'number' && status >= 400 && status < 500;
}

/** The fields as a form has them: texts as they are, lists as repeated names, the rest as JSON. */
function formOf(fields: Record<string, unknown>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      form.append(name, typeof one === 'string' ? one : JSON.stringify(one));
    }
  }
  return form;
}
