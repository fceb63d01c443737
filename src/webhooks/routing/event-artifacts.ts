import { isRecord } from '../../api/json/is-record.ts';
import { readArtifacts } from '../../contract/tasks/task-artifacts.ts';
import type { ReceivedEvent } from './parse-event.ts';

/**
 * The URLs of the files that a `task.completed` lists: its record may have none (API specification, Payload).
 *
 * @returns undefined where it does not tell all of them
 */
export function artifactsOf({ type, prediction }: ReceivedEvent): string[] | undefined {
  const artifacts = prediction?.['artifacts'];
  if (type !== 'task.completed' || !Array.isArray(artifacts)) return undefined;
  return readArtifacts(artifacts.map(urlOf));
}

function urlOf(artifact: unknown): string | undefined {
  if (!isRecord(artifact)) return undefined;
  const { url = isRecord(artifact['asset']) ? artifact['asset']['url'] : undefined } = artifact;
  return typeof url === 'string' ? URL.parse(url)?.href : undefined;
}
