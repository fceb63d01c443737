/** What a file is that a field takes or a model makes. `embedding`: a cloned voice (safetensors), which no model makes. */
export type MediaKind = 'image' | 'video' | 'audio' | 'embedding';
