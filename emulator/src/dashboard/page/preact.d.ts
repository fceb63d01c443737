// The server serves Preact's own module under this name.
export {
  Component,
  type ComponentChildren,
  type HTMLAttributes,
  h,
  type LooseInputHTMLAttributes,
  render,
  type TextareaHTMLAttributes,
  type VNode,
} from 'preact';
