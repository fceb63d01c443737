import { defineModel } from './define-model.ts';
import { assumed, choice, results, url } from './fields.ts';

export const lipSyncH = defineModel({
  id: 'lip-sync-h',
  family: 'video',
  title: 'Lip sync of a video to an audio track',
  output: 'video',
  typicalSeconds: 45,
  fields: {
    video_url: url('The source video', 'video'),
    audio_url: url('The source audio', 'audio'),
    quality: assumed(choice('Quality tier', ['standard', 'pro'])),
    n: results(),
  },
});
