// The server serves Preact's own module under this name.
export { Component, type ComponentChildren, type HTMLAttributes, h, render, type VNode } from 'preact';
