import { defineModel } from './define-model.ts';
import { assumed, choice, integer, optional, prompt, seed31, url, urls } from './fields.ts';

const WORKFLOWS = ['text-to-video', 'image-to-video', 'reference-to-video', 'edit-video'] as const;

/** All workflows but those: the ones that do not take a field. */
function allBut(...takers: (typeof WORKFLOWS)[number][]): (typeof WORKFLOWS)[number][] {
  return WORKFLOWS.filter((workflow) => !takers.includes(workflow));
}

/**
 * The API specification says beside most fields which workflow they are of, not which fields a workflow needs, nor
 * what becomes of those of another one: so the rules refuse a field that the named workflow does not take, which is
 * assumed, and require nothing. Where no workflow is named, only a video to edit tells which one is meant, as is assumed
 * too. How many images there may be is stated.
 */
export const videoD = defineModel({
  id: 'video-d',
  family: 'video',
  title: 'Video with four workflows: from text, an image or references, or an edit of a video',
  output: 'video',
  typicalSeconds: 60,
  exampleFields: ['prompt', 'video_url'],
  fields: {
    prompt: optional(prompt('Scene, motion, style or requested edit', { min: 1 })),
    video_url: optional(url('The source video (edit-video)', 'video')),
    workflow_type: assumed(choice('Workflow', WORKFLOWS)),
    image_url: assumed(url('The source image (image-to-video)')),
    image_urls: assumed(
      urls(
        'Reference images (reference-to-video, 1 to 9); also takes the one image of a single-image request',
        {
          max: 9,
        },
      ),
    ),
    reference_image_urls: assumed(
      urls('Reference images (reference-to-video, 1 to 9) or guide images (edit-video, up to 5)', { max: 9 }),
    ),
    resolution: assumed(choice('Resolution', ['720p', '1080p'])),
    aspect_ratio: assumed(
      choice('Aspect ratio (text-to-video and reference-to-video)', ['16:9', '9:16', '1:1', '4:3', '3:4']),
    ),
    duration: assumed(integer('Duration in seconds', 3, 15)),
    audio_setting: assumed(
      choice("Audio (edit-video); origin keeps the input video's audio", ['auto', 'origin']),
    ),
    seed: assumed(seed31()),
  },
  rules: [
    {
      says: 'video_url is the source video of edit-video',
      assumed: true,
      when: { workflow_type: allBut('edit-video') },
      allow: { video_url: 'absent' },
    },
    {
      says: 'image_url is the source image of image-to-video',
      assumed: true,
      when: { workflow_type: allBut('image-to-video') },
      allow: { image_url: 'absent' },
    },
    {
      says: 'text-to-video takes no images',
      assumed: true,
      when: { workflow_type: ['text-to-video'] },
      allow: { image_urls: 'absent' },
    },
    {
      says: 'outside reference-to-video image_urls is only an alias for a single image',
      assumed: true,
      when: { workflow_type: ['image-to-video', 'edit-video'] },
      allow: { image_urls: { maxItems: 1 } },
    },
    {
      says: 'reference_image_urls is for reference-to-video and edit-video',
      assumed: true,
      when: { workflow_type: allBut('reference-to-video', 'edit-video') },
      allow: { reference_image_urls: 'absent' },
    },
    {
      says: 'reference-to-video takes 1 to 9 reference images',
      when: { workflow_type: ['reference-to-video'] },
      allow: {
        image_urls: { minItems: 1, maxItems: 9 },
        reference_image_urls: { minItems: 1, maxItems: 9 },
      },
    },
    {
      says: 'edit-video takes up to 5 guide images',
      when: { workflow_type: ['edit-video'] },
      allow: { reference_image_urls: { maxItems: 5 } },
    },
    {
      says: 'a video_url makes it edit-video, which takes up to 5 guide images',
      assumed: true,
      when: { video_url: 'given' },
      allow: { reference_image_urls: { maxItems: 5 } },
    },
    {
      says: 'aspect_ratio is for text-to-video and reference-to-video',
      assumed: true,
      when: { workflow_type: allBut('text-to-video', 'reference-to-video') },
      allow: { aspect_ratio: 'absent' },
    },
    {
      says: 'audio_setting is for edit-video',
      assumed: true,
      when: { workflow_type: allBut('edit-video') },
      allow: { audio_setting: 'absent' },
    },
  ],
});
