/** Stands for the file of workflows that the Worker was given: the plugin tells the bundler which one that is. */
declare module 'temporal-darkroom/own-workflows' {}
