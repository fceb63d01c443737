import { defineModel } from './define-model.ts';
import { assumed, choice, flag, integer, number, text, url } from './fields.ts';

export const speechA = defineModel({
  id: 'speech-a',
  family: 'speech',
  title: 'Speech synthesis with a preset or cloned voice',
  output: 'audio',
  typicalSeconds: 6,
  fields: {
    text: text('The text to speak', { example: 'Good evening, and welcome aboard.' }),
    prompt: assumed(text('How to speak; ignored when a speaker embedding is given', { example: 'calmly' })),
    // The names of the 9 preset voices are not shown, so any name passes.
    voice: assumed(
      text('Preset voice; ignored when a speaker embedding is given', { min: 1, example: 'a-preset-voice' }),
    ),
    language: assumed(
      choice('Language', [
        'Auto',
        'English',
        'Chinese',
        'Spanish',
        'French',
        'German',
        'Italian',
        'Japanese',
        'Korean',
        'Portuguese',
        'Russian',
      ]),
    ),
    speaker_voice_embedding_file_url: assumed(
      url('Speaker embedding (safetensors) of a cloned voice, which replaces preset voices', 'embedding'),
    ),
    reference_text: assumed(text('The text that was read when the speaker embedding was made')),
    top_k: assumed(integer('Top-k sampling', 0, Number.MAX_SAFE_INTEGER)),
    top_p: assumed(number('Top-p sampling', 0, 1)),
    temperature: assumed(number('Sampling temperature', 0, 1)),
    repetition_penalty: assumed(number('Penalty for repeated tokens', 0)),
    subtalker_dosample: assumed(flag('Whether the sub-talker samples')),
    subtalker_top_k: assumed(integer('Top-k sampling of the sub-talker', 0, Number.MAX_SAFE_INTEGER)),
    subtalker_top_p: assumed(number('Top-p sampling of the sub-talker', 0, 1)),
    subtalker_temperature: assumed(number('Sampling temperature of the sub-talker', 0, 1)),
    max_new_tokens: assumed(integer('Most codec tokens to make', 1, 8192)),
  },
});
