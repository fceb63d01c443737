/** @import { Output, Task } from '../types.d.ts' */
import { h } from '../preact.js';
import { FirstFrame } from './first-frame.js';
import { bytes } from './words.js';

/**
 * The dashboard's own address of an output: it meets no faults and needs no other origin.
 *
 * @param {'media' | 'thumbnails'} kind
 * @param {Task} task
 * @param {number} index
 */
function addressOf(kind, task, index) {
  return `dashboard/${kind}/${encodeURIComponent(task.id)}/${index}`;
}

/** @param {Output} output */
function kindOf({ contentType }) {
  return contentType.split('/')[0];
}

/** What a list shows of a task's outputs; it says nothing that the text beside it does not say. */
export function miniature(/** @type {Task} */ task) {
  const [output] = task.outputs;
  if (output === undefined)
    return h('span', { class: `mini ${task.status.toLowerCase()}`, 'aria-hidden': 'true' });
  const kind = kindOf(output);
  if (kind === 'image') {
    const src = addressOf('thumbnails', task, 0);
    return h('img', {
      class: 'mini',
      src,
      alt: '',
      width: 56,
      height: 56,
      loading: 'lazy',
      decoding: 'async',
    });
  }
  if (kind === 'video') return h(FirstFrame, { key: task.id, src: addressOf('media', task, 0) });
  return h('span', { class: 'mini sound', 'aria-hidden': 'true' }, '♪');
}

/**
 * All outputs with their players.
 *
 * @param {Task} task
 */
export function players(task) {
  return task.outputs.map((output, index) =>
    h(
      'figure',
      { key: index, class: `output ${kindOf(output)}` },
      player(task, output, index),
      h(
        'figcaption',
        null,
        h(
          'a',
          { href: addressOf('media', task, index), target: '_blank', rel: 'noreferrer' },
          output.fileName,
        ),
        ` ${describe(output)}`,
      ),
    ),
  );
}

/**
 * @param {Task} task
 * @param {Output} output
 * @param {number} index
 */
function player(task, output, index) {
  const src = addressOf('media', task, index);
  const label = `Output ${index + 1} of task ${task.id}`;
  const style = sizeOf(output);
  const kind = kindOf(output);
  if (kind === 'image') return h('img', { src, alt: label, style, decoding: 'async' });
  if (kind === 'video') {
    return h('video', {
      src,
      controls: true,
      preload: 'metadata',
      'aria-label': label,
      playsInline: true,
      style,
    });
  }
  if (kind === 'audio') return h('audio', { src, controls: true, preload: 'metadata', 'aria-label': label });
  return null;
}

/**
 * Its size is known before a byte has come, so nothing moves when the file arrives.
 *
 * @param {Output} output
 */
function sizeOf({ width, height }) {
  if (width === null || height === null) return undefined;
  const room = `calc(60vh * ${width} / ${height})`;
  return { aspectRatio: `${width} / ${height}`, width: `min(100%, ${room}, max(12rem, ${width}px))` };
}

/** @param {Output} output */
function describe({ contentType, size, width, height, duration }) {
  return [
    contentType,
    width === null ? '' : `${width} × ${height}`,
    duration === null ? '' : `${duration.toFixed(1)} s`,
    bytes(size),
  ]
    .filter((part) => part !== '')
    .join(', ');
}
