import type { CustomRule } from './rule.ts';

/** `@Image` with or without a number, standing by itself: `me@Image.org` and `@Images` are no references. */
const REFERENCE = /(?<!\w)@Image(\d*)(?!\w)/g;

/**
 * Model N: a prompt names reference images as `@Image1`, `@Image2`, … (1-indexed), or `@Image` when there is one.
 * With `elements` the rule rests: they bring images of their own, and the API specification does not say whether
 * those are counted. Nor does it say that such a word cannot stand in ordinary prose: so the rule is assumed.
 */
export const imageReferences: CustomRule = {
  assumed: true,
  says: 'an @Image<number> in the prompt names an image of image_urls, counted from 1; a bare @Image needs exactly one',
  check: ({ prompt, image_urls: images = [], elements = [] }) => {
    if (typeof prompt !== 'string' || !Array.isArray(images)) return undefined;
    if (!Array.isArray(elements) || elements.length > 0) return undefined;
    const given = `image_urls has ${images.length === 1 ? '1 image' : `${images.length} images`}`;
    for (const [reference, digits = ''] of prompt.matchAll(REFERENCE)) {
      const position = Number(digits);
      if (digits === '' && images.length !== 1) {
        return {
          path: 'prompt',
          message: `has @Image without a number, which needs exactly one image; ${given}`,
        };
      }
      if (digits !== '' && (position < 1 || position > images.length)) {
        return { path: 'prompt', message: `names ${reference.slice(0, 20)}, counted from 1, but ${given}` };
      }
    }
    return undefined;
  },
};
