import { z } from 'zod';
import { defineModel } from './define-model.ts';
import { assumed, choice, optional, prompt, results, url, urls } from './fields.ts';
import { imageReferences } from './image-references.ts';

export const imageN = defineModel({
  id: 'image-n',
  family: 'image',
  title: 'Image with elements',
  output: 'image',
  typicalSeconds: 15,
  fields: {
    prompt: prompt(
      'What the image shows; @Image1, @Image2, … name the reference images (@Image if there is one)',
      {
        max: 2500,
      },
    ),
    image_urls: assumed(urls('Reference images, 1-indexed in the prompt', { max: 10 })),
    elements: assumed(
      z
        // The attributes of an element are not shown: these two names are guesses, and others pass.
        .array(
          z
            .looseObject({
              reference_image_urls: optional(urls('Reference images of the element')),
              frontal_image_url: optional(url('The frontal image of the element')),
            })
            .meta({ description: 'An element; the names of its attributes are assumed, others pass' }),
        )
        .meta({ description: 'Elements of the image' }),
    ),
    resolution: assumed(choice('Resolution', ['1K', '2K'])),
    aspect_ratio: assumed(
      choice('Aspect ratio; auto decides from the input', [
        'auto',
        '16:9',
        '9:16',
        '1:1',
        '4:3',
        '3:4',
        '3:2',
        '2:3',
        '21:9',
      ]),
    ),
    output_format: assumed(choice('Output format', ['jpeg', 'png', 'webp'])),
    n: results(),
  },
  rules: [imageReferences],
});
