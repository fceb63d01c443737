import { defineModel } from './define-model.ts';
import { text } from './fields.ts';

/** The API specification calls both images strings, not URLs as it does elsewhere, so any string passes. */
const image = { example: 'https://example.com/image.png', kind: 'image' } as const;

export const faceSwapC = defineModel({
  id: 'face-swap-c',
  family: 'image',
  title: 'Face swap, image to image',
  output: 'image',
  typicalSeconds: 8,
  versioned: true,
  multipart: 'stated',
  fields: {
    input_image: text('The image whose face is replaced, as a URL', image),
    swap_image: text('The image with the face to put in, as a URL', image),
  },
});
