export const API_KEY = 'dk_local_measured-here';

const HEADERS = `Host: 127.0.0.1\r\nAuthorization: Bearer ${API_KEY}\r\nX-Darkroom-Workflow: generation/bench\r\n`;

/** A submit to model L as Darkroom's worker sends it. */
export function submitRequest(prompt: string): string {
  const body = JSON.stringify({ prompt, aspect_ratio: '16:9' });
  return (
    `POST /api/v1/generation/darkroom/image-l HTTP/1.1\r\n${HEADERS}Content-Type: application/json\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

export function getRequest(taskId: string): string {
  return `GET /api/v1/generation/${taskId} HTTP/1.1\r\n${HEADERS}\r\n`;
}

/** The emulator's way back to an empty one. */
export const RESET_REQUEST = 'POST /control/reset HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n';
