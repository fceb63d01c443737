import { Component, h } from '../preact.js';

const PIXELS = 112;
const PATIENCE = 5000;

/** One after the other: a browser opens six connections, and videos hold on to theirs. */
let line = Promise.resolve();

/**
 * The first picture of a video, once it comes into view.
 *
 * @extends {Component<{ src: string }>}
 */
export class FirstFrame extends Component {
  /** @type {HTMLCanvasElement | null} */
  canvas = null;
  /** @type {IntersectionObserver | undefined} */
  observer;

  componentDidMount() {
    const { canvas } = this;
    if (canvas === null) return;
    this.observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting !== true) return;
      this.observer?.disconnect();
      line = line.then(() => (canvas.isConnected ? drawFirstFrame(this.props.src, canvas) : undefined));
    });
    this.observer.observe(canvas);
  }

  componentWillUnmount() {
    this.observer?.disconnect();
  }

  // Drawing it anew would change nothing, and the canvas is not Preact's.
  shouldComponentUpdate() {
    return false;
  }

  render() {
    return h('canvas', {
      class: 'mini video',
      width: PIXELS,
      height: PIXELS,
      'aria-hidden': 'true',
      ref: (/** @type {HTMLCanvasElement | null} */ canvas) => {
        this.canvas = canvas;
      },
    });
  }
}

/**
 * @param {string} src
 * @param {HTMLCanvasElement} canvas
 * @returns {Promise<void>} when it is drawn, or cannot be
 */
async function drawFirstFrame(src, canvas) {
  const video = document.createElement('video');
  video.muted = true;
  video.preload = 'auto';
  video.src = src;
  await new Promise((resolve) => {
    video.addEventListener('loadeddata', resolve);
    video.addEventListener('error', resolve);
    setTimeout(resolve, PATIENCE);
  });
  const { videoWidth: width, videoHeight: height } = video;
  if (width > 0) {
    const side = Math.min(width, height);
    canvas
      .getContext('2d')
      ?.drawImage(video, (width - side) / 2, (height - side) / 2, side, side, 0, 0, PIXELS, PIXELS);
  }
  // Lets go of its connection.
  video.removeAttribute('src');
  video.load();
}
