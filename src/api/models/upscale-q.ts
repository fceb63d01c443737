import { defineModel } from './define-model.ts';
import { positive, results, url } from './fields.ts';

export const upscaleQ = defineModel({
  id: 'upscale-q',
  family: 'image',
  title: 'Image upscaling',
  output: 'image',
  typicalSeconds: 6,
  fields: {
    image_url: url('The source image'),
    upscale_factor: positive('2 doubles width and height; the output goes up to 4K').default(2),
    n: results(),
  },
});
