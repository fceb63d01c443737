import { writeFileSync } from 'node:fs';
import { FOLDERS } from './folders.ts';
import { runFolder } from './run-folder.ts';

for (const name of process.argv.slice(2)) {
  const folder = FOLDERS.find((f) => f.name === name)!;
  const found = await runFolder(folder, { fresh: false, concurrency: 2 });
  const by = Object.groupBy(found, (m) => m.status);
  console.log(
    name,
    Object.entries(by)
      .map(([k, v]) => `${k}: ${v!.length}`)
      .join(', '),
  );
  const lines = found
    .filter((m) => m.status === 'Survived' || m.status === 'NoCoverage')
    .map(
      (m) =>
        `${m.fileName.replace(/.*\/mut\//, '')}:${m.location.start.line} ${m.status} ${m.mutatorName} -> ${(m.replacement ?? '').replace(/\s+/g, ' ').slice(0, 100)}`,
    );
  writeFileSync(`/tmp/mut-${name}.txt`, lines.join('\n') + '\n');
}
